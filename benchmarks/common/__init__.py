"""What the benchmarks share: datasets, turns, averages, tables, figures, and other programs behind one interface."""
