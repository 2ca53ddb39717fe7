"""The kernels, and the engines that drive them: counts, random streams, the one conditional, threads."""
