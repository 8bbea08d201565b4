// Some registries do not carry every foreign-platform optional package. npm then leaves those out of the
// lock, and `npm ci` refuses that lock. This adds the entries npm would have written (they are never
// installed where `os` and `cpu` do not match) and drops registry addresses. Run it after each npm install.
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const packages = lock.packages;
const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'aix', 'sunos', 'netbsd', 'openbsd'];
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];

const isLocked = (from, name) => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true;
    if (!folder || !folder.includes('/node_modules/')) return Boolean(packages[`node_modules/${name}`]);
  }
};

let added = 0;
for (const [folder, entry] of Object.entries(packages)) {
  // A folder of the checkout is found by it.
  if (!entry.link) delete entry.resolved;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!/^\d/.test(version) || isLocked(folder, name)) continue;
    const parts = name.replace(/^@[^/]+\//, '').split(/[-/]/);
    const os = systems.find((x) => parts.includes(x));
    const cpu = processors.find((x) => parts.includes(x));
    if (!os && !cpu) {
      console.error('skipped', name);
      continue;
    }
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu && { cpu: [cpu] }),
      ...(entry.dev && { dev: true }),
      license: 'UNKNOWN',
      optional: true,
      ...(os && { os: [os] }),
      ...(parts.includes('musl') && { libc: ['musl'] }),
      engines: {},
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${file}: added ${added}`);
