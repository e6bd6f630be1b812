"""How bash, zsh and fish are told to ask us what may be typed next (cli/completion.py answers)."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from ..core.errors import SpecError
from .completion import SHELLS, VARIABLE

# bash breaks words at colons and equal signs, and replaces the last piece alone: it hands over the line instead.
_BASH = f"""\
_labeldp_audit() {{
  local line word files=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\\t'* ]]; then files=1; continue; fi
    word=${{line%%$'\\t'*}}
    [[ $word == *[:=] ]] && compopt -o nospace
    COMPREPLY+=("$word")
  done < <({VARIABLE}=bash "$1" "${{COMP_LINE:0:COMP_POINT}}" "$COMP_WORDBREAKS" 2>/dev/null)
  [[ -n $files ]] && compopt -o default -o filenames
  return 0
}}
complete -F _labeldp_audit labeldp-audit
"""

_ZSH = f"""\
#compdef labeldp-audit
_labeldp_audit() {{
  local line behind wanted=
  local -a values open shown shown_open
  for line in "${{(@f)$({VARIABLE}=zsh "${{(Q)words[1]}}" "${{(@)words[2,CURRENT-1]}}" "$PREFIX" 2>/dev/null)}}"; do
    if [[ $line == $'\\t'* ]]; then
      wanted=1 behind=${{line##*$'\\t'}}
    elif [[ $line == *[:=]$'\\t'* ]]; then
      open+=("${{line%%$'\\t'*}}") shown_open+=("${{line/$'\\t'/  }}")
    elif [[ -n $line ]]; then
      values+=("${{line%%$'\\t'*}}") shown+=("${{line/$'\\t'/  }}")
    fi
  done
  (( $#values )) && compadd -l -d shown -a values
  (( $#open )) && compadd -l -S '' -d shown_open -a open
  if [[ -n $wanted ]]; then
    [[ -n $behind ]] && compset -P '*='
    _files
  fi
}}
if (( $+functions[compdef] )); then :; else autoload -Uz compinit && compinit -i; fi
compdef _labeldp_audit labeldp-audit
"""

_FISH = f"""\
function __labeldp_audit_next
    set -l words (commandline -opc)
    for line in (env {VARIABLE}=fish $words[1] $words[2..] (commandline -ct) 2>/dev/null)
        if string match -q -- \\t'*' $line
            set -l behind (string split -- \\t $line)[3]
            set -l typed (string replace -- "$behind" '' (commandline -ct))
            for file in (__fish_complete_path $typed)
                echo -- $behind$file
            end
        else
            echo -- $line
        end
    end
end
complete --command labeldp-audit --no-files --keep-order --arguments '(__labeldp_audit_next)'
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def named(shell: str) -> str:
    """That one, or the one that whoever types uses."""
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name in _SCRIPTS:
        return name
    if shell or name:
        raise SpecError.unknown("shell", name, SHELLS)
    raise SpecError("which shell?", hint=f"name one of {', '.join(SHELLS)}")


def script(shell: str) -> str:
    return _SCRIPTS[shell]


def install(shell: str) -> str:
    """Write the script where the shell finds it, at most once; in words, what was done."""
    try:
        return _install(shell)
    except (OSError, RuntimeError) as error:  # no home folder
        said = getattr(error, "strerror", None) or str(error)
        raise SpecError(f"completion cannot be installed: {said}", getattr(error, "filename", None)) from None


def _install(shell: str) -> str:
    if shell == "fish":
        file = _folder("XDG_CONFIG_HOME", ".config") / "fish" / "completions" / "labeldp-audit.fish"
        _write(file, script(shell))
        return f"wrote {file}: works in the next fish\n"
    file = _folder("XDG_DATA_HOME", ".local/share") / "labeldp-audit" / f"completion.{shell}"
    started = (Path(os.environ.get("ZDOTDIR") or Path.home()) if shell == "zsh" else Path.home()) / f".{shell}rc"
    _write(file, script(shell))
    quoted = shlex.quote(str(file))
    added = _append_once(started, f"[ -r {quoted} ] && . {quoted}")
    return f"wrote {file}, which {started} {'now reads' if added else 'reads already'}: works in the next {shell}\n"


def _folder(variable: str, usual: str) -> Path:
    named = os.environ.get(variable, "")
    return Path(named) if named.startswith("/") else Path.home() / usual


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _append_once(file: Path, line: str) -> bool:
    """Bytes, as nobody knows the encoding of other people's files."""
    there = file.read_bytes() if file.exists() else b""
    wanted = os.fsencode(line)
    if wanted in there.splitlines():
        return False
    with file.open("ab") as end:
        end.write((b"" if not there or there.endswith(b"\n") else b"\n") + wanted + b"\n")
    return True
