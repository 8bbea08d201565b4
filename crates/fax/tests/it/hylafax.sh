#!/bin/bash
# Three software modems under HylaFAX that call each other over loopback, seen by nobody else: every folder that they
# write to is a copy or empty here, and all of it ends with this process. Modem 0 calls 1, 1 calls 0, and 2 calls 1.
#   unshare --mount --pid --fork --kill-child bash hylafax.sh FOLDER HFAXD_PORT IAX_PORT_0 IAX_PORT_1 IAX_PORT_2
# Commands on standard input: `getty N`, `no-getty N`, `kill-modem N`, `modem N`, `hang-up N`, `idle N`; each is answered
# with `done`. Hanging up ends the call that modem N makes, wherever it is.
set -eu
folder=$1 port=$2 iax=("$3" "$4" "$5") called=(1 0 1)
spool=/var/spool/hylafax

mount --make-rprivate /
mount -t proc proc /proc
mkdir "$folder"/{etc-hylafax,etc-iaxmodem,log,lock,said}
cp -a /etc/hylafax/. "$folder/etc-hylafax"
cp -a $spool "$folder/spool"
mount --bind "$folder/etc-hylafax" /etc/hylafax
mount --bind "$folder/etc-iaxmodem" /etc/iaxmodem
mount --bind "$folder/spool" $spool
mkdir "$folder/dev"
mount -t tmpfs -o mode=755 tmpfs "$folder/dev"
for device in null zero full random urandom tty; do
  touch "$folder/dev/$device"
  mount --bind "/dev/$device" "$folder/dev/$device"
done
mkdir "$folder/dev/pts" "$folder/dev/shm"
mount --rbind /dev/pts "$folder/dev/pts"
ln -s pts/ptmx "$folder/dev/ptmx"
ln -s /proc/self/fd "$folder/dev/fd"
mount --rbind "$folder/dev" /dev
mkdir -p /var/log/iaxmodem /var/lock
mount --bind "$folder/log" /var/log/iaxmodem
mount -t tmpfs -o mode=1777 tmpfs "$(readlink -f /var/lock)"
for queue in sendq doneq docq recvq log info client; do rm -rf "${spool:?}/$queue"/*; done
# The programs that make calls do the same for themselves.
mount --bind /etc/hylafax $spool/etc
rm -f $spool/status/*
# Whoever writes the first line owns the file otherwise.
touch $spool/log/xferfaxlog
chown uucp:uucp $spool/log/xferfaxlog

password=$(openssl passwd -1 secret)
printf '^carepost@:100:%s:%s\n^guest@:101:%s\n' "$password" "$password" "$password" > $spool/etc/hosts.hfaxd
chown uucp:uucp $spool/etc/hosts.hfaxd
chmod 600 $spool/etc/hosts.hfaxd

for n in 0 1 2; do
  cat > /etc/iaxmodem/ttyIAX$n <<END
device /dev/ttyIAX$n
owner uucp:uucp
mode 660
port ${iax[n]}
refresh 0
server 127.0.0.1:${iax[called[n]]}
peername modem$n
secret none
cidname Modem$n
cidnumber 312555010$n
codec slinear
nojitterbuffer
END
  sed -e "s/^FAXNumber:.*/FAXNumber: +1.312.555.010$n/" -e "s/^LocalIdentifier:.*/LocalIdentifier: \"Modem $n\"/" \
    -e 's/^\(RecvFileMode\|LogFileMode\):.*/\1: 0644/' -e '$ a UseJobTSI: yes' \
    /usr/share/doc/iaxmodem/examples/config.ttyIAX > $spool/etc/config.ttyIAX$n
  chown uucp:uucp $spool/etc/config.ttyIAX$n
done

modems=() gettys=()
modem() { setsid iaxmodem ttyIAX$1 >"$folder/said/modem$1" 2>&1 & modems[$1]=$!; }
getty() { setsid faxgetty "ttyIAX$1" >"$folder/said/getty$1" 2>&1 & gettys[$1]=$!; }
no_getty() { kill "${gettys[$1]}"; wait "${gettys[$1]}" || true; }
# The modem gets the end of what it sends first, without which it takes no command.
hang_up() {
  pkill -KILL -f "faxsend .*ttyIAX$1"
  printf '\020\003' >"/dev/ttyIAX$1"
  for _ in 1 2 3; do sleep 1; printf 'ATH0\r' >"/dev/ttyIAX$1"; done
}
idle() { wait_for grep -qs "Running and idle" "$spool/status/ttyIAX$1"; }
wait_for() { for _ in $(seq 300); do "$@" && return; sleep 0.1; done; echo "waited in vain: $*"; exit 1; }

listens() { true < "/dev/tcp/127.0.0.1/$port"; } 2>/dev/null

for n in 0 1 2; do modem $n; done
for n in 0 1 2; do wait_for test -e /dev/ttyIAX$n; done
faxq -D >"$folder/said/faxq" 2>&1 &
hfaxd -d -l 127.0.0.1 -i "$port" >"$folder/said/hfaxd" 2>&1 &
wait_for listens
# The called modem is ready before anybody calls.
getty 1
idle 1
getty 0
echo ready
# Not at once: HylaFAX's scheduler forgets a job that comes in the second after one in which two modems became ready.
sleep 3
getty 2
while read -r command n; do
  case $command in
    getty) getty "$n" ;;
    no-getty) no_getty "$n" ;;
    kill-modem) kill -9 "${modems[n]}" ;;
    modem) modem "$n" ;;
    hang-up) hang_up "$n" ;;
    idle) idle "$n" ;;
  esac
  echo done
done
