import { Input, Tabs, TextInput } from '@mantine/core';
import { DrawPad, type Strokes } from './DrawPad';

export const NAME_MAX = 100;

/** A signature as it is typed or drawn. */
export type Mark = { kind: 'typed' | 'drawn'; text: string; strokes: Strokes };

/** Whether there is something to show as the signature. */
export const isMade = (mark: Mark) => (mark.kind === 'typed' ? mark.text.trim() !== '' : mark.strokes.length > 0);

/** The signature for the API: only what was chosen. */
export const givenMark = ({ kind, text, strokes }: Mark) => (kind === 'typed' ? { kind, text: text.trim() } : { kind, strokes });

type Props = { value: Mark; onChange: (mark: Mark) => void; error?: string };

/** The signature: typed, or drawn. */
export function SignatureField({ value, onChange, error }: Props) {
  return (
    <div className="sgn-mark">
      <Tabs value={value.kind} onChange={(kind) => onChange({ ...value, kind: kind as Mark['kind'] })} keepMounted={false}>
        <Tabs.List aria-label="Your signature">
          <Tabs.Tab value="typed">Type</Tabs.Tab>
          <Tabs.Tab value="drawn">Draw</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="typed">
          <TextInput
            size="md"
            label="Your name"
            required
            data-autofocus
            autoComplete="name"
            maxLength={NAME_MAX}
            value={value.text}
            onChange={(e) => onChange({ ...value, text: e.currentTarget.value })}
            error={!!error}
          />
          <p className="sgn-script" aria-hidden>
            {value.text || ' '}
          </p>
        </Tabs.Panel>
        <Tabs.Panel value="drawn">
          <DrawPad strokes={value.strokes} onChange={(strokes) => onChange({ ...value, strokes })} error={error} />
        </Tabs.Panel>
      </Tabs>
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </div>
  );
}
