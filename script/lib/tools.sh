# Shared by the scripts: finds or installs what they need. Sourced, not run.
#
# As root on Debian everything missing is installed; otherwise a script says exactly what is missing and stops.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
ROOT=$PWD
TOOLS=$ROOT/.tools
export PATH="$TOOLS/node_modules/node/bin:$TOOLS/node_modules/.bin:$HOME/.cargo/bin:$PATH"

# Also the version whose lints are errors: each later one brings new ones.
RUST_WANTED=1.95
NODE_WANTED=20.19
NPM_WANTED=11

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

can_install() { [ "$(id -u)" = 0 ] && has apt-get; }

# at_least HAVE WANTED: whether one version is as new as the other.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# need_tools [PACKAGE...]: what building takes, and these Debian packages. All that is missing is told at once.
need_tools() {
  local packages lacks=()
  packages=$(missing_packages build-essential pkg-config libssl-dev ca-certificates "$@")
  if can_install; then
    # shellcheck disable=SC2086
    [ -z "$packages" ] || install_packages $packages
    has_rust || install_rust
    has_node || install_node
    return
  fi
  [ -z "$packages" ] || lacks+=("Debian packages: sudo apt-get install $packages")
  has_rust || lacks+=("Rust $RUST_WANTED or newer: https://rustup.rs")
  has_node || lacks+=("Node $NODE_WANTED and npm $NPM_WANTED, or newer: https://nodejs.org")
  [ ${#lacks[@]} -eq 0 ] || die "this is missing; install it, or run this script as root on Debian:
$(printf '  %s\n' "${lacks[@]}")"
}

missing_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  printf '%s' "${missing[*]}"
}

install_packages() {
  say "Installing $*"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

has_rust() { has cargo && at_least "$(rustc --version | cut -d' ' -f2)" "$RUST_WANTED"; }

install_rust() {
  has curl || install_packages curl
  say "Installing Rust with rustup"
  local folder installer
  folder=$(mktemp -d)
  installer=https://static.rust-lang.org/rustup/dist/$(uname -m)-unknown-linux-gnu/rustup-init
  curl --proto '=https' --tlsv1.2 -sSf --retry 3 -o "$folder/rustup-init" "$installer"
  chmod +x "$folder/rustup-init"
  "$folder/rustup-init" -y --quiet --no-modify-path --profile minimal --default-toolchain "$RUST_WANTED" -c clippy -c rustfmt
  rm -r "$folder"
  hash -r
  has cargo || die "Rust could not be installed."
}

has_node() {
  has node && at_least "$(node --version | tr -d v)" "$NODE_WANTED" \
    && has npm && at_least "$(npm --version)" "$NPM_WANTED"
}

# Debian 12 has Node 18; the npm registry carries newer ones as a package.
install_node() {
  has npm || install_packages nodejs npm
  say "Installing Node and npm for this checkout"
  npm install --silent --no-save --no-audit --no-fund --prefix "$TOOLS" node@22 "npm@$NPM_WANTED" >/dev/null
  hash -r
  at_least "$(node --version | tr -d v)" "$NODE_WANTED" || die "Node $NODE_WANTED could not be installed."
}

# The packages of the web app, installed again only when the lock file changed. The installation ends by generating what
# is not in the repository; each script of web/package.json that reads it keeps it fresh.
need_web_packages() {
  local lock=web/package-lock.json stamp=web/node_modules/.installed
  if [ ! -f "$stamp" ] || ! cmp -s "$lock" "$stamp"; then
    say "Installing the packages of the web app"
    npm --prefix web ci --silent
    cp "$lock" "$stamp"
  fi
}

# Builds web/dist unless it is newer than everything it is made of.
build_web() {
  need_web_packages
  npm --prefix web run --silent gen
  if [ -f web/dist/index.html ] \
    && [ -z "$(find web/src web/public web/index.html web/package-lock.json web/vite.config.ts -newer web/dist/index.html -print -quit)" ]; then
    return
  fi
  say "Building the web app"
  npm --prefix web run --silent build
}

# A free port outside the range from which the system picks, so that nobody takes it before the server listens.
free_port() {
  python3 - <<'PYTHON'
import random, socket
while True:
    port = random.randrange(10_000, 32_000)
    try:
        socket.create_server(("127.0.0.1", port)).close()
        print(port)
        break
    except OSError:
        pass
PYTHON
}
