"""Speed and memory, as ratios against what a user would run instead. `make bench`, or `python -m benchmarks NAME`."""
