"""The one exception of the decoders here, whatever odd bytes they were given."""


class Undecodable(Exception):
    """Bytes that are not, or not wholly, what they should be: an answer that holds them is no answer (R18)."""
