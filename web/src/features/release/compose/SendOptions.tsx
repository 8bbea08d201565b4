import { Checkbox, SegmentedControl } from '@mantine/core';
import { type ComposeValues, CONVERSIONS, conversionOf, type FaxOptions } from './model';

/** How attachments travel. */
export function SendAs({
  value,
  onChange,
}: {
  value: ComposeValues['conversion'];
  onChange: (value: ComposeValues['conversion']) => void;
}) {
  return (
    <>
      <span className="rel-wide">Send attachments as</span>
      <SegmentedControl
        aria-label="Send attachments as"
        value={value ?? 'Original'}
        onChange={(v) => onChange(conversionOf(v))}
        data={[{ value: 'Original', label: 'Original' }, ...Object.entries(CONVERSIONS).map(([value, label]) => ({ value, label }))]}
      />
    </>
  );
}

/** Parts of a fax besides the documents. */
export function FaxChoices({ value, onChange }: { value: FaxOptions; onChange: (value: FaxOptions) => void }) {
  const set = (part: Partial<FaxOptions>) => onChange({ ...value, ...part });
  return (
    <>
      <Checkbox label="Cover page" checked={value.includeCoverPage} onChange={(e) => set({ includeCoverPage: e.currentTarget.checked })} />
      <Checkbox
        label="Message text"
        checked={value.includeMessageBody}
        onChange={(e) => set({ includeMessageBody: e.currentTarget.checked })}
      />
      <Checkbox
        label="Attachment descriptions"
        checked={value.includeAttachmentDescriptions}
        onChange={(e) => set({ includeAttachmentDescriptions: e.currentTarget.checked })}
      />
    </>
  );
}
