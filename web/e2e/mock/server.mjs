// A small stand-in for the server, for looking at screens without it: `node e2e/mock/server.mjs` after a build.
// It keeps everything in memory and serves dist under the server's content security policy.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import { extname, join, normalize } from 'node:path';
import { messages, organizations, outline, pdf, people } from './data.mjs';

const dist = process.env.DIST ?? new URL('../../dist', import.meta.url).pathname;
const port = Number(process.env.PORT ?? 4400);
const delay = Number(process.env.DELAY ?? 0);
const tokenSeconds = Number(process.env.TOKEN_SECONDS ?? 900);
const PASSWORD = 'Carepost-demo-2026';
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};
const sessions = new Map();
const tokens = new Map();
const hubs = { events: new Set(), messagepresence: new Set(), documentprocessing: new Set() };
let failNext = '';

const csp = (nonce) =>
  `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; worker-src 'self' blob:; connect-src 'self'; font-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`;

const orgOf = (s) => organizations[s.org] ?? null;
const profileOf = (s) => {
  const p = s.person;
  const org = orgOf(s);
  return {
    userId: p.id,
    userName: `${p.user}@carepost.example`,
    fullName: p.name,
    roles: p.roles,
    uiResources: {},
    organizationId: org?.id ?? null,
    organizationName: org?.name ?? null,
    organizations: p.orgs.map((i) => organizations[i]),
    isAdmin: p.roles.includes('Administrator'),
    orgIsActivated: !p.notActivated,
    orgIsCancelled: false,
    orgIsInGracePeriod: false,
    brandId: 'carepost',
    idleTimeoutSeconds: 900,
  };
};
const item = ({ attachments, body, ...m }) => ({ ...m, attachmentCount: attachments.length, attachments });
const find = (id) => messages.find((m) => m.id === id && !m.deleted);
const publish = (name, frame) => {
  for (const c of hubs[name]) c.send(frame);
};

function intake(b, s) {
  const since = b.startDate ? Date.parse(b.startDate) : Date.now() - 30 * 86_400_000;
  const base = messages.filter(
    (m) =>
      !m.deleted &&
      s.org !== undefined &&
      Date.parse(m.createdDate) >= since &&
      (!b.endDate || Date.parse(m.createdDate) <= Date.parse(b.endDate) + 86_400_000),
  );
  const mine = (m) => m.assignedTo?.id === s.person.id;
  const words = (b.filter ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  let list = base.filter(
    (m) =>
      (!b.isUnassigned || !m.assignedTo) &&
      (!b.isAssignedToSelf || mine(m)) &&
      (!b.isUrgent || m.isUrgent) &&
      (!b.statuses?.length || b.statuses.includes(m.status)) &&
      (!b.sourceTypes?.length || b.sourceTypes.includes(m.sourceType)) &&
      (!b.sources?.length || b.sources.includes(m.toAddress)) &&
      words.every((w) =>
        `${m.subject} ${m.patientName ?? ''} ${m.fromName ?? ''}`
          .toLowerCase()
          .split(/[\s,]+/)
          .some((x) => x.startsWith(w)),
      ),
  );
  const key = b.orderBy ?? 'createdDate';
  list = list.sort((x, y) => (x[key] > y[key] ? 1 : -1) * (b.orderDir === 'asc' ? 1 : -1));
  const counts = {
    all: base.length,
    unassigned: base.filter((m) => !m.assignedTo).length,
    assignedToSelf: base.filter(mine).length,
    urgent: base.filter((m) => m.isUrgent).length,
    unread: base.filter((m) => !m.isRead).length,
  };
  return {
    items: list.slice((b.pageStart - 1) * b.pageSize, b.pageStart * b.pageSize).map(item),
    totalCount: list.length,
    totalIsCapped: false,
    nextCursor: null,
    counts,
  };
}

async function api(req, res, path, query) {
  const answer = (status, body, headers = {}) => {
    res.writeHead(status, { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json', ...headers });
    res.end(body === undefined ? '' : JSON.stringify(body));
  };
  const chunks = [];
  for await (const c of req) chunks.push(c);
  const text = Buffer.concat(chunks).toString('latin1');
  const body = /json/.test(req.headers['content-type'] ?? '') && text ? JSON.parse(Buffer.from(text, 'latin1').toString()) : {};
  const grant = (sid) => {
    const token = randomUUID();
    tokens.set(token, sid);
    return { accessToken: token, expiresIn: tokenSeconds };
  };
  const cookie = /sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1];
  if (path === '/api/mock/fail') {
    failNext = query.get('path') ?? '';
    return answer(200, {});
  }
  if (path === '/api/mock/arrive') {
    const m = { ...messages[0], id: randomUUID(), subject: 'Just arrived', createdDate: new Date().toISOString(), isRead: false };
    messages.unshift(m);
    publish('events', { type: 'intake', messageId: m.id });
    return answer(200, m);
  }
  if (path === '/api/mock/revoke') {
    sessions.clear();
    tokens.clear();
    return answer(200, {});
  }
  if (path === '/api/branding') {
    return answer(200, {
      brandId: 'carepost',
      name: 'carepost',
      displayName: 'Carepost',
      logoUrl: null,
      brandColors: [],
      demo: true,
      demoAccounts: people.map((p) => ({
        userName: `${p.user}@carepost.example`,
        password: PASSWORD,
        role: p.roles[0],
        organization: organizations[p.orgs[0]]?.name ?? null,
      })),
    });
  }
  if (path === '/api/account/login') {
    const person = people.find((p) => `${p.user}@carepost.example` === body.userName);
    if (!person || body.password !== PASSWORD)
      return answer(401, { title: 'Unauthorized', status: 401, message: 'The user name or password is incorrect.' });
    const sid = randomUUID();
    sessions.set(sid, { person, org: person.orgs[0] });
    return answer(200, grant(sid), { 'set-cookie': `sid=${sid}; Path=/; HttpOnly; SameSite=Strict` });
  }
  if (path === '/api/account/renew')
    return cookie && sessions.has(cookie) ? answer(200, grant(cookie)) : answer(401, { status: 401, title: 'Unauthorized' });
  const token = (req.headers.authorization ?? '').replace('Bearer ', '');
  const s = sessions.get(tokens.get(token));
  if (!s) return answer(401, { status: 401, title: 'Unauthorized', reason: 'Token revoked or expired.' });
  if (failNext && path.startsWith(failNext)) {
    failNext = '';
    return answer(500, { status: 500, title: 'Error', message: 'The request timed out. Please try again.' });
  }
  if (path === '/api/account/logout') {
    sessions.delete(tokens.get(token));
    return answer(204, undefined, { 'set-cookie': 'sid=; Path=/; Max-Age=0' });
  }
  if (path === '/api/account/hubticket') return answer(200, { ticket: token, expiresIn: 30 });
  if (path === '/api/account/change') {
    s.org = organizations.findIndex((o) => o.id === body.orgId);
    return answer(200, { data: true });
  }
  if (path === '/api/users/profiledata') return answer(200, profileOf(s));
  if (path === '/api/features')
    return answer(200, {
      features: ['OptimizedIntake', 'IntakeCdaViewer', 'PatientExtractionAPI', 'AutomatedCarePlans'].map((name) => ({
        name,
        isEnabled: true,
      })),
    });
  if (path.startsWith('/api/entitysettings')) return answer(200, { settings: {} });
  if (path === '/api/attachments/extensions')
    return answer(200, { extensions: [{ extension: 'pdf', mimeType: 'application/pdf', previewable: true }] });
  if (path === '/api/users/assignable') return answer(200, { items: people.slice(0, 2).map((p) => ({ id: p.id, name: p.name })) });
  if (path === '/api/documenttypes')
    return answer(200, {
      items: [...new Set(messages.map((m) => m.documentType).filter(Boolean))].sort().map((name, i) => ({ id: String(i), name })),
      totalCount: 12,
    });
  if (path === '/api/documentsources/release')
    return answer(200, {
      items: [
        { id: '1', fullAddress: 'front.desk@larkfield.direct.example', type: 'DirectMessage', status: 1, displayName: 'Front desk' },
        { id: '2', fullAddress: '15550100111', type: 'Fax', status: 1, displayName: 'Front desk fax' },
      ],
    });
  if (path === '/api/settings/interoperability')
    return answer(200, {
      exportMode: 'save_as',
      exportOption: 'standard',
      exportDirectoryType: 'patient_folder',
      exportVisitDirectory: true,
      nonPatientExport: false,
    });
  if (path === '/api/integrations/capabilities') return answer(200, { patientLookup: false });
  if (path.startsWith('/api/audit/types')) return answer(200, { items: ['Read', 'Updated', 'Processed'] });
  if (path.startsWith('/api/audit/'))
    return answer(200, {
      items: [
        { id: '1', createdBy: 'Priya Nandakumar', eventType: 'Read', createdOn: new Date(Date.now() - 600_000).toISOString() },
        { id: '2', createdBy: 'Carepost', eventType: 'Received', createdOn: new Date(Date.now() - 1_600_000).toISOString() },
      ],
      totalCount: 2,
    });
  if (path === '/api/messages' && req.method === 'GET')
    return answer(200, { items: [], totalCount: query.get('statuses') === 'Failed' ? 3 : 0 });
  if (path === '/api/intake' || (path === '/api/messages' && req.method === 'POST')) return answer(200, intake(body, s));

  const m = /^\/api\/messages\/([\w-]+)(?:\/attachments\/([\w-]+))?(?:\/([\w/]+))?$/.exec(path);
  const message = m && find(m[1]);
  if (!message) return answer(404, { status: 404, title: 'Not found', message: 'This does not exist.' });
  const [, , aid, act] = m;
  if (aid) return attachment(req, res, answer, message, aid, act, body);
  const changed = (change) => {
    Object.assign(message, change, { version: message.version + 1 });
    publish('events', { type: 'intake', messageId: message.id });
    return answer(200, message);
  };
  if (act === 'read') {
    message.isRead = true;
    return answer(204);
  }
  if (act === 'process')
    return changed({
      isProcessed: body.isProcessed,
      status: body.isProcessed ? 'Processed' : 'Received',
      processedType: body.processType ?? null,
    });
  if (act === 'assign')
    return changed({
      assignedTo: body.userId ? { id: body.userId, name: people.find((p) => p.id === body.userId).name } : null,
      isUrgent: body.urgent ?? message.isUrgent,
    });
  if (act === 'patient') {
    if (body.firstName === 'Error')
      return answer(422, { status: 422, title: 'Invalid', modelState: { 'patient.firstName': ['First Name is invalid'] } });
    return changed({ patient: body, patientName: [body.lastName, body.firstName].filter(Boolean).join(', ') });
  }
  if (req.method === 'DELETE') {
    message.deleted = true;
    publish('events', { type: 'intake', messageId: message.id });
    return answer(202, { message: 'Your message is being deleted' });
  }
  const list = messages.filter((x) => !x.deleted);
  const at = list.indexOf(message);
  return answer(200, { ...message, previousId: list[at - 1]?.id ?? null, nextId: list[at + 1]?.id ?? null });
}

function attachment(req, res, answer, message, aid, act, body) {
  const a = message.attachments.find((x) => x.id === aid);
  if (!a) return answer(404, { status: 404, title: 'Not found' });
  if (act === 'read') return answer(204);
  if (act === 'metadata') return answer(200, a);
  if (act === 'outline') return answer(200, outline);
  if (act === 'generatePreview') {
    a.previewAvailable = 'Processing';
    setTimeout(() => {
      Object.assign(a, { previewAvailable: 'Available', isPreviewAvailable: true });
      publish('documentprocessing', { type: 'completed', attachmentId: aid, previewAvailable: 'Available' });
    }, 3000);
    return answer(200, a);
  }
  if (act === 'patient/extract') {
    if (req.method === 'PUT') {
      a.extractAt = Date.now();
      return answer(200, { status: 'Processing' });
    }
    return answer(
      200,
      Date.now() - a.extractAt < 1500
        ? { status: 'Processing', patient: null }
        : {
            status: 'Completed',
            patient: { firstName: 'Marisol', middleName: 'J', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' },
          },
    );
  }
  if (act === 'patient') return answer(200, outline.patient);
  if (req.method === 'PUT') {
    a.attachmentMeta = { ...a.attachmentMeta, ...body.attachmentMeta };
    return answer(200, a);
  }
  const accept = req.headers.accept ?? '';
  if (accept.includes('text/html')) {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    return res.end(
      `<!doctype html><html><head><style>h1{font-size:18px}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px}</style></head><body><h1>Laboratory report</h1>${outline.sections.map((x) => `<h2>${x.title}</h2>${x.narrativeHtml}`).join('')}</body></html>`,
    );
  }
  res.writeHead(200, { 'content-type': 'application/pdf' });
  return res.end(pdf(a.pageCount ?? 3, message.subject.replace(/[()]/g, '')));
}

const server = http.createServer((req, res) => {
  const url = new URL(req.url, 'http://x');
  if (url.pathname.startsWith('/api/'))
    return void setTimeout(
      () =>
        api(req, res, url.pathname, url.searchParams).catch((e) => {
          console.error(e);
          res.writeHead(500);
          res.end();
        }),
      delay,
    );
  let file = join(dist, normalize(url.pathname));
  if (!existsSync(file) || statSync(file).isDirectory()) file = join(dist, 'index.html');
  const ext = extname(file);
  const headers = { 'content-type': types[ext] ?? 'application/octet-stream' };
  let content = readFileSync(file);
  if (ext === '.html') {
    const nonce = randomUUID();
    headers['content-security-policy'] = csp(nonce);
    content = content.toString().replaceAll('__CSP_NONCE__', nonce);
  }
  res.writeHead(200, headers);
  res.end(content);
});

// Just enough of WebSocket for the hubs: short unfragmented text frames.
server.on('upgrade', (req, socket) => {
  const name = req.url.split('/').pop();
  if (!hubs[name]) return socket.destroy();
  const accept = createHash('sha1').update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  const client = {
    send(frame) {
      const data = Buffer.from(JSON.stringify(frame));
      const head = data.length < 126 ? Buffer.from([0x81, data.length]) : Buffer.from([0x81, 126, data.length >> 8, data.length & 255]);
      socket.write(Buffer.concat([head, data]));
    },
  };
  let known = false;
  socket.on('data', (buffer) => {
    for (let at = 0; at + 6 <= buffer.length; ) {
      const opcode = buffer[at] & 15;
      let length = buffer[at + 1] & 127;
      let start = at + 2;
      if (length === 126) {
        length = buffer.readUInt16BE(start);
        start += 2;
      }
      const mask = buffer.subarray(start, start + 4);
      const data = Buffer.from(buffer.subarray(start + 4, start + 4 + length).map((b, i) => b ^ mask[i % 4]));
      at = start + 4 + length;
      if (opcode === 8) return socket.end();
      if (opcode !== 1) continue;
      const frame = JSON.parse(data.toString());
      if (!known) {
        if (!tokens.has(frame.ticket)) return socket.destroy();
        known = true;
        hubs[name].add(client);
      } else if (frame.type === 'open' && messages[0].id === frame.messageId) {
        client.send({ type: 'present', messageId: frame.messageId, users: [{ userId: people[1].id, name: people[1].name }] });
        setTimeout(() => client.send({ type: 'opened', messageId: frame.messageId, userId: people[2].id, name: people[2].name }), 1200);
      }
    }
  });
  socket.on('close', () => hubs[name].delete(client));
  socket.on('error', () => hubs[name].delete(client));
});
server.listen(port, '127.0.0.1', () => console.log(`mock server: http://127.0.0.1:${port}`));
