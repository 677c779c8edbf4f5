"""The screens: each shows one thing, and posts a message for whatever is to be done."""
