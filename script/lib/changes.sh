# What a change can have touched. Sourced by script/test, which sets `changes`.

# changed_files REF: the files that differ from it, new ones among them.
changed_files() {
  git diff --name-only "$1"
  git ls-files --others --exclude-standard
}

touches() { grep -qE "$1" <<<"$changes"; }

# touches_part PART: whether a change can make a part of script/test fail.
touches_part() {
  case "$1" in
    format) touches '\.rs$|^rustfmt\.toml$|^web/' ;;
    lint) touches '\.rs$|Cargo\.(toml|lock)$|^clippy\.toml$|^web/|^openapi\.json$' ;;
    licences) touches 'Cargo\.lock$|package-lock\.json$|^script/licences$' ;;
    ledger) touches '\.rs$|\.tsx?$' ;;
    rust) touches '^crates/|^templates/|^Cargo\.|^\.config/|^openapi\.json$|^docs/access\.md$' ;;
    web) touches '^web/|^openapi\.json$' ;;
    browser) touches '^web/(e2e/|playwright\.config\.ts$)' ;;
    package) touches '^packaging/|^script/package$' ;;
    *) false ;;
  esac
}

# The tests of what changed and of everything that is built on it, as a filter of nextest.
rust_filter() {
  if touches '^Cargo\.|^\.config/'; then
    echo 'all()'
    return
  fi
  local folder package filter='none()'
  for folder in $(sed -nE 's,^(crates/[^/]+)/.*,\1,p' <<<"$changes" | sort -u); do
    [ -f "$folder/Cargo.toml" ] || continue
    package=$(sed -nE '0,/^name = "(.*)"/s//\1/p' "$folder/Cargo.toml")
    # Nobody builds on the tests of another crate.
    if grep "^$folder/" <<<"$changes" | grep -qv "^$folder/tests/"; then
      filter+=" | rdeps(=$package)"
    else
      filter+=" | package(=$package)"
    fi
  done
  # Tests of `messaging` do harm to calls, too.
  ! touches '^crates/fax/tests/it/lines\.rs$' || filter+=' | package(=messaging)'
  ! touches '^templates/' || filter+=' | rdeps(=email)'
  ! touches '^openapi\.json$|^docs/access\.md$' || filter+=' | package(=server)'
  echo "$filter"
}
