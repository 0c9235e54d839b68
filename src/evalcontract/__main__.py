"""`python -m evalcontract`.

Python puts the current folder in front of the module search path, so that a file there such as
`click.py` would run. It is removed, as `python -P` does, before anything is imported. Only a file
`evalcontract.py` there runs even so: Python has found it in place of this one.
"""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        sys.path.pop(0)

    from evalcontract.cli.start import evalcontract

    evalcontract()
