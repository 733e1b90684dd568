#include "traffic/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/config/toml_reader.hpp"
#include "core/read_file.hpp"
#include "core/whole_number.hpp"

namespace xbind {
namespace {

struct Keys {
  std::string_view name;
  ServiceClass service;
  std::vector<std::string> known;
};

const std::vector<Keys>& classes() {
  static const std::vector<Keys> all = {
      {"video",
       ServiceClass::kVideo,
       {"name", "class", "frames-per-s", "frame-octets", "peak-to-mean", "burst-frames",
        "frame-loss", "delay-ms"}},
      {"voice",
       ServiceClass::kVoice,
       {"name", "class", "frames-per-s", "frame-octets", "frame-loss", "delay-ms"}},
      {"data",
       ServiceClass::kData,
       {"name", "class", "frame-octets", "bits-per-s", "peak-bits-per-s", "burst-frames",
        "frame-loss"}},
      {"constant",
       ServiceClass::kConstant,
       {"name", "class", "frame-octets", "bits-per-s", "frame-loss", "delay-ms"}},
  };
  return all;
}

class CatalogueReader : private config::TomlReader {
 public:
  CatalogueReader(const toml::table& root, const std::string& path) : TomlReader(root, path) {}

  Result<Catalogue> read() {
    if (root_.empty()) return fail(ErrorCode::kBadInput, "{}: the file is empty", path_);
    // Not only_keys(): a key at the top of a file that is no catalogue is not quoted.
    for (const auto& [key, value] : root_) {
      if (key.str() == "service") continue;
      const std::vector<std::string> known{"service"};
      return refuse(key.source().begin.line, "a catalogue has no such key; {}service",
                    config::nearest_name(key.str(), known) ? "did you mean " : "known is ");
    }
    const auto services = tables("service");
    if (!services) return tl::make_unexpected(services.error());
    if (services->empty()) {
      return refuse(line_of(*root_.get("service")), "service is no table; write [[service]]");
    }
    for (const toml::table* table : *services) {
      if (const auto good = read_service(*table); !good) return tl::make_unexpected(good.error());
    }
    return std::move(catalogue_);
  }

 private:
  // nullopt if the key is missing. `unit`: the factor that converts the number.
  Result<std::optional<std::uint64_t>> number(std::string_view key, double least, double most,
                                              double unit, Round round) const {
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    const Line line = node->source().begin.line;
    if (!node->is_number()) return refuse(line, "'{}' of {} is not a number", key, name_);
    const double value = *node->value<double>();
    if (!(value >= least && value <= most)) {
      return refuse(line, "'{}' of {} is {:g}, not in {:g} to {:g}", key, name_, value, least,
                    most);
    }
    return whole_number(value * unit, round);
  }

  Result<std::optional<std::uint64_t>> count(std::string_view key, std::uint64_t least,
                                             std::uint64_t most) const {
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    const toml::value<std::int64_t>* value = node->as_integer();
    if (value == nullptr) {
      return refuse(node->source().begin.line, "'{}' of {} is not a whole number", key, name_);
    }
    if (value->get() < static_cast<std::int64_t>(least) ||
        value->get() > static_cast<std::int64_t>(most)) {
      return refuse(node->source().begin.line, "'{}' of {} is {}, not in {} to {}", key, name_,
                    value->get(), least, most);
    }
    return static_cast<std::uint64_t>(value->get());
  }

  Result<void> read_service(const toml::table& table) {
    table_ = &table;
    Result<std::string> name = needed_string(table, "name", "a service");
    if (!name) return tl::make_unexpected(name.error());
    name_ = *name;
    const Result<std::string> word = needed_string(table, "class", "a service");
    if (!word) return tl::make_unexpected(word.error());
    const auto keys = std::ranges::find(classes(), *word, &Keys::name);
    if (keys == classes().end()) {
      return refuse(table.get("class")->source().begin.line,
                    "there is no class '{}'; known are video, voice, data, constant", *word);
    }
    if (const auto good = only_keys(table, keys->known, fmt::format("a {} service", *word));
        !good) {
      return good;
    }
    const Result<UserService> service = numbers(keys->service);
    if (!service) return tl::make_unexpected(service.error());
    const auto added = catalogue_.add(std::move(*name), *service);
    if (!added) return refuse(table.source().begin.line, "{}", added.error().text);
    return {};
  }

  Result<UserService> numbers(ServiceClass of) const {
    UserService service;
    service.service = of;
    const auto needed = [&](std::string_view key) -> Result<void> {
      if (table_->contains(key)) return {};
      return refuse(table_->source().begin.line, "{} needs '{}'", name_, key);
    };
    const bool by_frames = of == ServiceClass::kVideo || of == ServiceClass::kVoice;
    Result<void> good = needed("frame-octets");
    if (good && by_frames) good = needed("frames-per-s");
    if (good && of == ServiceClass::kConstant) good = needed("bits-per-s");
    if (good && (of == ServiceClass::kVoice || of == ServiceClass::kConstant)) {
      good = needed("delay-ms");
    }
    if (good && (of != ServiceClass::kData || table_->contains("bits-per-s"))) {
      good = needed("frame-loss");
    }
    if (!good) return tl::make_unexpected(good.error());

    const double rates = 1.0 / 1000;
    const auto frames = number("frames-per-s", rates, 1e6, 1000, Round::kUp);
    const auto octets = count("frame-octets", 1, kFrameOctetsMax);
    const auto peak = number("peak-to-mean", 1, 1000, 1000, Round::kUp);
    const auto burst = count("burst-frames", 1, TrafficContract::kFieldMax);
    const auto bits = count("bits-per-s", 1, kBitsPerSMax);
    const auto peak_bits = count("peak-bits-per-s", 1, kBitsPerSMax);
    const auto loss = number("frame-loss", 1e-12, 1, static_cast<double>(kLossWhole), Round::kDown);
    const auto delay = number("delay-ms", 0.002, 3'600'000, 1000, Round::kDown);
    for (const auto* one : {&frames, &octets, &peak, &burst, &bits, &peak_bits, &loss, &delay}) {
      if (!*one) return tl::make_unexpected(one->error());
    }
    service.frames_per_1000_s = frames->value_or(0);
    service.frame_octets = octets->value_or(0);
    service.peak_to_mean = peak->value_or(service.peak_to_mean);
    service.burst_frames = burst->value_or(service.burst_frames);
    service.bits_per_s = bits->value_or(0);
    service.peak_bits_per_s = *peak_bits;
    service.asked = {*loss, *delay};
    return service;
  }

  const toml::table* table_ = nullptr;  // of the service being read
  std::string name_;                    // of the service being read
  Catalogue catalogue_;
};

bool may_be_named(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kServiceNameMax && std::ranges::all_of(name, good);
}

}  // namespace

const Catalogue::Entry* Catalogue::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

Result<void> Catalogue::add(std::string name, const UserService& service) {
  if (!may_be_named(name)) {
    return fail(ErrorCode::kBadInput,
                "'{}' is no name of a service: 1 to {} of letters, digits, '-', '_', '.'",
                name.substr(0, kServiceNameMax), kServiceNameMax);
  }
  if (class_of_word(name)) {
    return fail(ErrorCode::kBadInput, "'{}' is the word of a class and cannot be a name", name);
  }
  if (entries_.contains(name)) {
    return fail(ErrorCode::kBadInput, "there is a service '{}' already", name);
  }
  if (entries_.size() == kCatalogueServicesMax) {
    return fail(ErrorCode::kBadInput, "'{}' is one service above {}", name, kCatalogueServicesMax);
  }
  const Result<AtmService> mapped = to_atm(service);
  if (!mapped) return fail(ErrorCode::kBadInput, "{}: {}", name, mapped.error().text);
  names_.push_back(name);
  entries_.emplace(std::move(name), Entry{service, *mapped});
  return {};
}

std::optional<ServiceClass> class_of_word(std::string_view word) {
  const auto keys = std::ranges::find(classes(), word, &Keys::name);
  if (keys == classes().end()) return std::nullopt;
  return keys->service;
}

Result<std::shared_ptr<const Catalogue>> catalogue_of_option(const std::string& path) {
  if (path.empty()) {
    return std::shared_ptr<const Catalogue>(std::shared_ptr<void>{}, &shipped_catalogue());
  }
  Result<Catalogue> read = read_catalogue_file(path);
  if (!read) return tl::make_unexpected(std::move(read.error()));
  return std::make_shared<const Catalogue>(std::move(*read));
}

std::optional<config::OptionChange> catalogue_change(const Catalogue& before,
                                                     const Catalogue& after) {
  if (before.same_services(after)) return std::nullopt;
  const auto content = [](const Catalogue& of) {
    const std::size_t count = of.names().size();
    return fmt::format("{} {}", count, count == 1 ? "service" : "services");
  };
  return config::OptionChange{"catalogue", content(before), content(after), "its content", true};
}

Result<Catalogue> parse_catalogue(std::string_view text, const std::string& path) {
  const auto root = config::parse_toml(text, path, kCatalogueOctetsMax, config::Quoting::kNo);
  if (!root) return tl::make_unexpected(root.error());
  return CatalogueReader(*root, path).read();
}

Result<Catalogue> read_catalogue_file(const std::string& path) {
  const Result<std::string> text = read_file(path, kCatalogueOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return parse_catalogue(*text, path);
}

}  // namespace xbind
