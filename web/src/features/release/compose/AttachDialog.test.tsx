import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import type { Attachment } from '@/api/types';
import { AttachDialog } from './AttachDialog';
import { EditAttachmentDialog } from './EditAttachmentDialog';
import { emptyPatient } from './model';

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(http.get('*/api/documenttypes', () => HttpResponse.json({ items: [{ id: '1', name: 'Referral' }], totalCount: 1 })));
});

const open = (files: File[], onAttach = vi.fn()) => {
  renderApp(<AttachDialog initial={files} extensions={['pdf', 'xml']} attachedBytes={0} onClose={() => {}} onAttach={onAttach} />);
  return onAttach;
};
const attach = () => userEvent.click(screen.getByRole('button', { name: 'Attach' }));

describe('attaching a new file', () => {
  test('asks for a file first, with a document type, a confidentiality, a date and notes (MSG-S-022, MSG-R-086, MSG-R-087, MSG-R-090, MSG-R-275, MSG-T-007, MSG-T-008, MSG-T-009, MSG-T-011, MSG-T-012, MSG-T-055)', async () => {
    open([]);
    expect(screen.getByRole('dialog', { name: 'Attach a new file' })).toBeInTheDocument();
    for (const name of ['Document type', 'Confidentiality']) expect(screen.getByRole('combobox', { name })).toBeInTheDocument();
    const dates = ['Original File Date', "Today's Date", 'Select a Date'];
    expect(screen.getAllByRole('radio').map((radio) => (radio as HTMLInputElement).labels![0]!.textContent)).toEqual(dates);
    for (const name of ['Cancel', 'Choose files']) expect(screen.getByRole('button', { name })).toBeInTheDocument();
    await attach();
    expect(screen.getByText('Please select a file.')).toBeInTheDocument();
  });
  test('refuses an empty file and one of more than 20 MB (MSG-R-276, MSG-R-277, MSG-R-444, MSG-T-056, MSG-T-057)', async () => {
    const sized = (name: string, size: number) => Object.defineProperty(new File(['x'], name), 'size', { value: size });
    const done = open([sized('Exact.pdf', 20_971_520), sized('Large.pdf', 20_971_521), new File([], 'Empty.pdf')]);
    const told = () => screen.getAllByRole('alert').map((alert) => [alert.parentElement!.textContent, alert.textContent]);
    expect(told()).toEqual([
      [expect.stringContaining('Large.pdf'), 'Your attachment exceeds the maximum (20MB) allowed size.'],
      [expect.stringContaining('Empty.pdf'), 'File is empty. Please upload something more substantial.'],
    ]);
    await attach();
    expect(done).not.toHaveBeenCalled();
  });
  test('refuses a date after today (MSG-T-060)', async () => {
    const done = open([new File(['x'], 'a.pdf')]);
    await userEvent.click(screen.getByRole('radio', { name: 'Select a Date' }));
    const date = screen.getByRole('textbox', { name: 'Document date' });
    await waitFor(() => expect(date).toHaveFocus());
    fireEvent.change(date, { target: { value: '01/01/2099' } });
    fireEvent.blur(date);
    await attach();
    expect(screen.getByText('Document Date must be equal or less than today.')).toBeInTheDocument();
    expect(done).not.toHaveBeenCalled();
  });
  test('refuses a file without an extension (MSG-R-279, MSG-T-059)', () => {
    open([new File(['x'], 'README')]);
    expect(screen.getByText('Your attachment file type is not supported.')).toBeInTheDocument();
  });
  test('refuses a type that is not supported (MSG-R-278, MSG-T-058)', async () => {
    const done = open([new File(['x'], 'viewer.exe')]);
    expect(screen.getByText('Your attachment file type exe is not supported')).toBeInTheDocument();
    await attach();
    expect(done).not.toHaveBeenCalled();
  });
  test('requires the confidentiality of a file that has none (MSG-R-280), and proposes Normal for a new one', async () => {
    const save = vi.fn();
    const file = { id: '1', fileName: 'a.pdf', messageId: '2', attachmentMeta: { documentDate: '2026-11-01' } } as Attachment;
    const { unmount } = renderApp(
      <EditAttachmentDialog attachment={file} patient={emptyPatient()} busy={false} onClose={() => {}} onSave={save} />,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(screen.getByText('"Confidentiality" is required for file a.pdf')).toBeInTheDocument();
    expect(save).not.toHaveBeenCalled();
    unmount();
    const done = open([new File(['x'], 'a.pdf')]);
    await attach();
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    expect(done.mock.calls[0]![0][0].meta).toMatchObject({ confidentiality: 'Normal' });
  });
  test('one bad file of several is left out, and the others go', async () => {
    const done = open([new File(['x'], 'viewer.exe'), new File(['x'], 'a.pdf')]);
    await userEvent.click(screen.getByRole('button', { name: 'Leave out viewer.exe' }));
    await attach();
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    expect(done.mock.calls[0]![0].map(({ file }: { file: File }) => file.name)).toEqual(['a.pdf']);
  });
  test('reads the confidentiality of a structured document (MSG-R-281)', async () => {
    const done = open([new File(['<ClinicalDocument><confidentialityCode code="R"/></ClinicalDocument>'], 'a.xml')]);
    await attach();
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    expect(done.mock.calls[0]![0][0].meta).toMatchObject({ confidentiality: 'Restricted', documentDateType: 'message' });
  });
  test('counts the characters that remain for the notes (MSG-R-088, MSG-R-089, MSG-R-445, MSG-T-010)', async () => {
    open([new File(['x'], 'a.pdf')]);
    expect(screen.getByText('Characters remaining: 255')).toBeInTheDocument();
    expect(screen.getByLabelText('Notes')).toHaveAttribute('maxlength', '255');
    await userEvent.type(screen.getByLabelText('Notes'), 'abc');
    expect(screen.getByText('Characters remaining: 252')).toBeInTheDocument();
  });
  test('choosing a date empties the field (MSG-R-186)', async () => {
    open([new File(['x'], 'a.pdf', { lastModified: Date.UTC(2026, 10, 1, 12) })]);
    const date = screen.getByRole('textbox', { name: 'Document date' });
    expect(date).toHaveValue('11/01/2026');
    await userEvent.click(screen.getByRole('radio', { name: 'Select a Date' }));
    expect(date).toHaveValue('');
  });
});
