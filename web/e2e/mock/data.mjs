// Invented people and messages for the mock server.
const uuid = (n) => `0192f0c0-0000-7000-8000-${String(n).padStart(12, '0')}`;

export const organizations = [
  { id: uuid(1), name: 'Larkfield Family Medicine', subDomain: 'larkfield' },
  { id: uuid(2), name: 'Summit Orthopedics', subDomain: 'summit' },
  { id: uuid(3), name: 'alder creek clinic', subDomain: 'aldercreek' },
];

export const people = [
  { id: uuid(11), user: 'dana', name: 'Dana Whitfield', roles: ['Administrator'], orgs: [0, 1, 2] },
  { id: uuid(12), user: 'priya', name: 'Priya Nandakumar', roles: ['User'], orgs: [0] },
  { id: uuid(13), user: 'sam', name: 'Sam Okafor', roles: ['Administrator'], orgs: [1] },
  { id: uuid(14), user: 'ops', name: 'Ola Brandt', roles: ['SysAdmin'], orgs: [] },
  { id: uuid(15), user: 'rita', name: 'Rita Vogel', roles: ['SysAdminReporting'], orgs: [] },
  { id: uuid(16), user: 'nia', name: 'Nia Farrow', roles: ['Administrator'], orgs: [2], notActivated: true },
];

const rows = [
  [
    'Fax',
    6,
    'Tri-Valley Cardiology',
    'Cardiology consultation, visit of 11/18/2026',
    'Tenney, Marisol J',
    'Consultation',
    'Received',
    0,
    { un: 1 },
  ],
  [
    'DirectMessage',
    0,
    'Northgate Regional Hospital',
    'Discharge summary',
    'Brandvold, Ingrid',
    'Discharge summary',
    'Received',
    0,
    { un: 1, urgent: 1, who: 1, cda: 1 },
  ],
  [
    'DirectMessage',
    0,
    'Quarry Lab Services',
    'Results: HbA1c, lipid panel, basic metabolic panel',
    'Pruitt, Desmond',
    'Laboratory results',
    'Received',
    0,
    { un: 1, cda: 1 },
  ],
  ['Fax', 2, '', 'Fax received on Front desk', '', '', 'Received', 0, { un: 1 }],
  ['Upload', 0, 'Dana Whitfield', 'Scanned outside records 2019–2024', 'Yoon, Hana', 'Outside records', 'Uploaded', 0, { who: 0 }],
  [
    'DirectMessage',
    0,
    'Bayline Imaging',
    'MRI right knee without contrast, final report',
    'Halloran, Bridget A',
    'Imaging report',
    'Triaged',
    0,
    { who: 1 },
  ],
  [
    'Fax',
    14,
    'Summit Orthopedics',
    'Operative note and physical therapy plan',
    'Castellanos, Teo',
    'Operative note',
    'Pending',
    0,
    { un: 1 },
  ],
  [
    'DirectMessage',
    0,
    'St. Brannoc Health',
    'Referral response: endocrinology appointment scheduled for December, with a list of the documents that the patient should bring along',
    'Okonjo, Felix',
    'Referral',
    'Replied',
    1,
    { who: 1 },
  ],
  [
    'DirectMessage',
    0,
    'Meadowbank Pediatrics',
    'Transfer of care, immunization record',
    'Delacroix, Noemi',
    'Immunizations',
    'Processed',
    1,
    { note: 'PDFExport', who: 1 },
  ],
  ['Fax', 3, 'Harbor Point Pharmacy', 'Refill authorization request', 'Sorensen, Karl', 'Prescription', 'Forwarded', 1, { who: 1 }],
  [
    'Fax',
    1,
    'Keystone Home Health',
    'Plan of care for signature',
    'Vasquez-Lindqvist, Anneliese',
    'Plan of care',
    'Received',
    1,
    { un: 1, urgent: 1 },
  ],
  ['Fax', 9, 'Alder Creek Insurance', 'Records request, claim 48-2219', 'Tenney, Marisol J', 'Records request', 'Failed', 1, { who: 0 }],
];

const fax = '15550100142';
export const messages = Array.from({ length: 312 }, (_, i) => {
  const [sourceType, pages, from, subject, patientName, documentType, status, days, x] = rows[i % rows.length];
  const at = new Date(Date.now() - (Math.floor(i / rows.length) + days) * 86_400_000 - (i % rows.length) * 700_000);
  const id = uuid(1000 + i);
  const first = i < rows.length;
  const [last, given] = patientName.split(', ');
  return {
    id,
    direction: 'intake',
    subject,
    createdDate: at.toISOString(),
    messageDate: at.toISOString(),
    systemReceivedDate: at.toISOString(),
    fromAddress:
      sourceType === 'Fax'
        ? fax
        : sourceType === 'Upload'
          ? 'dana@carepost.example'
          : `records@${from.toLowerCase().replace(/[^a-z]+/g, '')}.direct.example`,
    fromName: from || null,
    toAddress: sourceType === 'Fax' ? '15550100111' : 'front.desk@larkfield.direct.example',
    toAddresses: [sourceType === 'Fax' ? '15550100111' : 'front.desk@larkfield.direct.example'],
    patientName: patientName || null,
    documentType: documentType || null,
    status,
    isProcessed: status === 'Processed',
    processedType: x.note ?? null,
    processTypes: x.note ? [x.note] : [],
    sourceType,
    properties: { faxPageCount: pages || null },
    recent: i < 3,
    isRead: !(first && x.un),
    isUrgent: Boolean(x.urgent),
    assignedTo: x.who === undefined ? null : { id: people[x.who].id, name: people[x.who].name },
    openedBy: i === 0 ? [{ userId: people[1].id, name: 'Priya Nandakumar' }] : [],
    body:
      sourceType === 'DirectMessage'
        ? 'Please find the document attached.\n\nKind regards,\nMedical records'
        : 'Please find the consultation for our mutual patient. Kindly confirm the lisinopril change with the patient.',
    bodyHtml: null,
    attachments: attachmentsOf(id, i, sourceType, Boolean(x.cda), documentType, pages),
    patient:
      i % rows.length === 0 || !last
        ? null
        : { lastName: last, firstName: given, birthDate: '1957-11-08', gender: 'M', telephone: '5550100164', patientIds: [] },
    messageIdHeader: `<665c-0f91-a27e-${i}@carepost.example>`,
    version: 1,
    deliveries: [],
    conversion: null,
  };
});

function attachmentsOf(messageId, i, sourceType, cda, documentType, pages) {
  const made = (n, fileName, mimeType, sizeInBytes, more = {}) => ({
    id: uuid(5000 + i * 10 + n),
    messageId,
    fileName,
    mimeType,
    sizeInBytes,
    previewAvailable: 'Available',
    isPreviewAvailable: true,
    transformStatus: null,
    isRestorable: false,
    pageCount: 3,
    isStructured: false,
    createdDate: new Date().toISOString(),
    attachmentMeta: { documentType: documentType || null, documentDate: null, confidentiality: 'Normal' },
    ...more,
  });
  if (cda) {
    return [
      made(1, 'Laboratory report.xml', 'application/xml', 98_304, { isStructured: true, pageCount: null }),
      made(2, 'Laboratory report.pdf', 'application/pdf', 215_040),
    ];
  }
  if (sourceType === 'Fax') {
    return [
      made(1, `Fax 11202026 081${i % 10}.pdf`, 'application/pdf', 428_032, { pageCount: pages }),
      made(2, 'Cover sheet.tif', 'image/tiff', 63_488, { pageCount: 1 }),
      ...(i === 0
        ? [made(3, 'Echocardiogram.pdf', 'application/pdf', 900_000, { previewAvailable: 'NotRequested', isPreviewAvailable: false })]
        : []),
      ...(i === 0
        ? [
            made(4, 'Old scan.wpd', 'application/octet-stream', 12_000, {
              previewAvailable: 'Failed',
              isPreviewAvailable: false,
              previewError: 'This file type cannot be shown.',
            }),
          ]
        : []),
    ];
  }
  return [made(1, 'Document.pdf', 'application/pdf', 215_040)];
}

export const outline = {
  title: 'Laboratory report',
  standard: 'C-CDA R2.1',
  patient: { firstName: 'Desmond', lastName: 'Pruitt', birthDate: '1957-11-08', gender: 'M' },
  sections: [
    {
      id: 's1',
      code: '48765-2',
      title: 'Allergies',
      entryCount: 2,
      sections: [],
      narrativeHtml:
        '<table><thead><tr><th>Substance</th><th>Reaction</th></tr></thead><tbody><tr><td>Penicillin</td><td>Rash</td></tr><tr><td>Latex</td><td>Hives</td></tr></tbody></table>',
    },
    {
      id: 's2',
      code: '10160-0',
      title: 'Medications',
      entryCount: 7,
      sections: [],
      narrativeHtml: '<p>Lisinopril 20 mg, metformin 1,000 mg, atorvastatin 40 mg.</p>',
    },
    {
      id: 's3',
      code: '30954-2',
      title: 'Results',
      entryCount: 24,
      sections: [],
      narrativeHtml: `<table><thead><tr><th>Test</th><th>Value</th><th>Unit</th><th>Reference</th></tr></thead><tbody>${Array.from({ length: 8 }, () => '<tr><td>Hemoglobin A1c</td><td>7.9</td><td>%</td><td>4.0–5.6</td></tr>').join('')}</tbody></table>`,
    },
    { id: 's4', code: '47420-5', title: 'Functional status', entryCount: 0, sections: [], narrativeHtml: '' },
  ],
};

/** A small PDF with text on each page. */
export function pdf(pages, title) {
  const objects = [];
  const add = (text) => objects.push(text);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Count ${pages} /Kids [${Array.from({ length: pages }, (_, i) => `${4 + i * 2} 0 R`).join(' ')}] >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (let i = 0; i < pages; i++) {
    const lines = [
      title,
      `Page ${i + 1} of ${pages}`,
      '',
      'Reason for consultation',
      'Exertional dyspnea over three months and intermittent palpitations.',
      'Medications: lisinopril 20 mg, metformin 1,000 mg, atorvastatin 40 mg.',
    ];
    const stream = `BT /F1 14 Tf 60 720 Td 20 TL ${lines.map((l) => `(${l}) Tj T*`).join(' ')} ET`;
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`);
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  let out = '%PDF-1.4\n';
  const offsets = objects.map((o, i) => {
    const at = out.length;
    out += `${i + 1} 0 obj\n${o}\nendobj\n`;
    return at;
  });
  const start = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((o) => `${String(o).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(out, 'latin1');
}
