"""`python -m evalcontract`."""

from evalcontract.cli import main

if __name__ == "__main__":
    main()
