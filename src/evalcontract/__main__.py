"""`python -m evalcontract`."""

from evalcontract.cli.start import evalcontract

if __name__ == "__main__":
    evalcontract()
