"""Sections of the pages: the commands of every table and figure in each size, and the text around them."""
