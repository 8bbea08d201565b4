//! Conversion of office files to PDF with LibreOffice, if installed: in a confined process, one file at a
//! time on a node. See [`crate::worker`].

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::limits::{Limits, end_with_us};

/// Paths of the program in distributions. Its wrapper script starts further programs and is not used.
const PLACES: [&str; 4] = [
    "/usr/lib/libreoffice/program/soffice.bin",
    "/usr/lib64/libreoffice/program/soffice.bin",
    "/opt/libreoffice/program/soffice.bin",
    "/usr/local/lib/libreoffice/program/soffice.bin",
];

/// Paths that the program may read and run: itself, its libraries, fonts and settings. Nothing of the server,
/// and not `/proc`, which contains the environment of other processes.
pub(crate) const READABLE: [&str; 14] = [
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/opt/libreoffice",
    "/etc/fonts",
    "/etc/libreoffice",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/dev/urandom",
    "/dev/random",
];
/// Path that it may write to besides its own folder.
pub(crate) const WRITABLE: [&str; 1] = ["/dev/null"];
/// Folder of the socket by which its other instances would find it. The folder cannot be configured, and
/// nothing else may be created there.
pub(crate) const SOCKETS: [&str; 1] = ["/tmp"];

/// Limits of one file. The program maps far more memory than it uses.
pub(crate) const LIMITS: Limits = Limits {
    wall: Duration::from_secs(120),
    cpu: Duration::from_secs(60),
    memory: 4 << 30,
    input: 96 << 20,
    output: 192 << 20,
};

/// Name of the file in the folder of a conversion.
const FILE: &str = "document";
/// Exit codes with which the program asks to be restarted after creating its profile.
const AGAIN: [i32; 2] = [79, 81];

/// Settings: no macros, no external links, no embedded objects; output as PDF/A-2b, for archiving.
const PROFILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>1</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Filter/PDF/Export"><prop oor:name="SelectPdfVersion" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"#;

/// Path of the program, if installed. Determined once.
pub(crate) fn program() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| PLACES.iter().map(PathBuf::from).find(|path| path.is_file())).as_deref()
}

/// Whether this node can show office files.
pub fn is_installed() -> bool {
    program().is_some()
}

/// Reason why there is no PDF.
#[derive(Debug)]
pub(crate) enum OfficeError {
    Locked,
    Unreadable,
    Io(io::Error),
}

impl From<io::Error> for OfficeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Converts a file to PDF in an empty folder, the only writable one. Call it in a confined process: the
/// program inherits the confinement.
pub(crate) fn to_pdf(program: &Path, folder: &Path, content: &[u8]) -> Result<Vec<u8>, OfficeError> {
    if is_locked(content) {
        return Err(OfficeError::Locked);
    }
    let profile = folder.join("profile");
    std::fs::create_dir_all(profile.join("user"))?;
    std::fs::write(profile.join("user/registrymodifications.xcu"), PROFILE)?;
    std::fs::write(folder.join(FILE), content)?;
    let mut status = start(program, folder, &profile)?;
    if status.is_some_and(|code| AGAIN.contains(&code)) {
        status = start(program, folder, &profile)?;
    }
    let made = std::fs::read(folder.join(format!("{FILE}.pdf")));
    match made {
        Ok(pdf) if status == Some(0) => Ok(pdf),
        _ => Err(OfficeError::Unreadable),
    }
}

fn start(program: &Path, folder: &Path, profile: &Path) -> io::Result<Option<i32>> {
    let place = |name: &str, path: &Path| {
        let mut argument = OsString::from(format!("-env:{name}=file://"));
        argument.push(path);
        argument
    };
    let mut command = Command::new(program);
    command
        .arg(place("UserInstallation", profile))
        // To root, the folder of the installation looks writable.
        .arg(place("UNO_SHARED_PACKAGES_CACHE", &folder.join("packages")))
        .args([
            "--headless",
            "--norestore",
            "--nologo",
            "--nodefault",
            "--nofirststartwizard",
            "--nolockcheck",
        ])
        .args(["--convert-to", "pdf", "--outdir"])
        .arg(folder)
        .arg(folder.join(FILE))
        .env_clear()
        .envs([("HOME", folder), ("TMPDIR", folder), ("XDG_RUNTIME_DIR", folder), ("XDG_CACHE_HOME", folder)])
        .envs([("SAL_USE_VCLPLUGIN", "svp"), ("LANG", "C.UTF-8"), ("PATH", "/usr/bin:/bin")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    end_with_us(&mut command, LIMITS.wall.as_secs() + 5);
    Ok(command.status()?.code())
}

/// Whether the file is encrypted: a protected file of Microsoft's newer formats is an old container with a
/// stream of this name.
fn is_locked(content: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    content.starts_with(b"\xd0\xcf\x11\xe0") && memchr::memmem::find(content, &name).is_some()
}
