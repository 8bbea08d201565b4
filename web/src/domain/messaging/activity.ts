type Entry = { eventType: string; what: string };

/** `SignedIn` as `Signed in`. */
export const actWords = (type: string) => type.replace(/(?<=[a-z])[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

const KINDS: Record<string, string> = {
  apicapture: 'API capture',
  attachment: 'File',
  audittrail: 'Audit trail',
  bulkjob: 'Bulk action',
  cacheddocument: 'Document in a file',
  conversation: 'Referral',
  conversations: 'Referrals',
  directoryentry: 'Directory entry',
  documentsource: 'Address',
  documenttype: 'Document type',
  emergencyorganization: 'Emergency member',
  failedmessages: 'Failed messages',
  faxaccount: 'Fax account',
  faxqueue: 'Fax queue',
  faxsettings: 'Fax settings',
  filedbyrule: 'Filed by rule',
  importbatch: 'Batch import',
  inboundconnection: 'Inbound interface',
  inboundmail: 'Inbound mail',
  intakerule: 'Intake rule',
  messageevents: 'Activity',
  referenceitem: 'List entry',
  releasetype: 'Release type',
  reservedword: 'Reserved word',
  routingrule: 'Routing rule',
  savedaddresses: 'Saved addresses',
  serviceaccount: 'Service account',
  supportticket: 'Support ticket',
  triagebatch: 'Batch',
  trustbundle: 'Trust bundle',
  workflowretry: 'Bulk retry',
};
/** `releasetype`, the object of an act, as `Release type`. */
export const kindWords = (kind: string) => KINDS[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);

const FOLDED = new Set(['Viewed', 'Listed', 'Searched', 'Downloaded']);

/** Repeated views of the same object in a row as one entry, the newest, with their number. */
export function foldRepeats<T extends Entry>(entries: readonly T[], subject: (entry: T) => string): { entry: T; times: number }[] {
  const folded: { entry: T; times: number }[] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    const isSame =
      last &&
      FOLDED.has(entry.eventType) &&
      last.entry.eventType === entry.eventType &&
      last.entry.what === entry.what &&
      subject(last.entry) === subject(entry);
    if (isSame) last.times++;
    else folded.push({ entry, times: 1 });
  }
  return folded;
}
