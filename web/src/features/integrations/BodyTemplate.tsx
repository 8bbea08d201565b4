import { Button, Textarea, UnstyledButton } from '@mantine/core';
import { useRef } from 'react';
import type { ConnectionType } from '@/api/types';
import { offerUndo } from '@/shared/undo';
import { limits } from './fields';
import type { EditorState } from './useEditor';

type Props = { editor: EditorState; type: ConnectionType | undefined };

/** The JSON that a web service gets. Blank is the usual one, which is shown in the empty field. */
export function BodyTemplate({ editor: { form }, type }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = form.values.bodyTemplate;
  const usual = type?.bodyTemplate ?? '';
  const write = (next: string, caret: number) => {
    form.setFieldValue('bodyTemplate', next);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  };
  const turn = () => {
    write(text ? '' : usual, 0);
    if (text) offerUndo('The usual template is used.', async () => form.setFieldValue('bodyTemplate', text));
  };
  const insert = (name: string) => {
    const [from, to] = [field.current?.selectionStart ?? text.length, field.current?.selectionEnd ?? text.length];
    const placed = `{{${name}}}`;
    write(text.slice(0, from) + placed + text.slice(to), from + placed.length);
  };
  return (
    <section className="cp-sec int-part" aria-label="What is sent">
      <div className="cp-sec-h">
        <h3 className="cp-grow">What is sent</h3>
        {usual && (
          <Button size="xs" variant="default" onClick={turn}>
            {text ? 'Use the usual template' : 'Change the usual template'}
          </Button>
        )}
      </div>
      <Textarea
        size="md"
        label="JSON template"
        description="Each placeholder becomes a whole JSON value, so it needs no quotation marks. Leave blank for the usual template."
        autosize
        minRows={6}
        maxRows={18}
        maxLength={limits.bodyTemplate?.maxLength}
        spellCheck={false}
        autoComplete="off"
        placeholder={usual}
        classNames={{ input: 'cp-mono int-json' }}
        {...form.getInputProps('bodyTemplate')}
        ref={field}
      />
      {type && type.placeholders.length > 0 && (
        <div role="group" aria-label="Insert a placeholder">
          <p className="cp-second int-line">Insert at the cursor</p>
          <div className="int-chips">
            {type.placeholders.map((name) => (
              // The cursor stays where it is in the field.
              <UnstyledButton key={name} className="int-chip cp-mono" onMouseDown={(e) => e.preventDefault()} onClick={() => insert(name)}>
                {name}
              </UnstyledButton>
            ))}
          </div>
        </div>
      )}
    </section>
  );
}
