"""The words of errors."""


def one_line(value: object) -> str:
    """The text of what a caller gave, such as an array or a word, which may have several lines."""
    return " ".join(str(value).split())
