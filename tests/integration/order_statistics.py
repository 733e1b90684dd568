"""Order statistics by their definitions, to check those of callgen independently."""

import math


def left_out(count, share):
    """How many of the smallest values lie below the quantile `share` with 97.5 %; None: no value
    does. Sums the binomial distribution."""
    below, left = 0.0, None
    for k in range(count + 1):
        below += math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
                          + k * math.log(share) + (count - k) * math.log1p(-share))
        if below > 0.025:
            return left
        left = k
    return left


def ranked(values, percent):
    """The percentile by definition: nearest rank."""
    rank = math.ceil(percent / 100 * len(values) * (1 - 1e-12))
    return sorted(values)[max(rank, 1) - 1]


def bucket(value):
    """The highest value of the 1/128 bucket that holds `value`."""
    shift = max(0, value.bit_length() - 8)
    return (((value >> shift) + 1) << shift) - 1


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
