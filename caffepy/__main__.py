"""``python3 -m caffepy``: the command line without installation."""

from caffepy.cli.main import main

if __name__ == "__main__":
    main()
