import { Button, Textarea } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { RevealForm } from '@/api/limits.gen';
import type { CapturedCall } from '@/api/types';
import { useServerForm } from '@/shared/form/useServerForm';
import { limitError } from '@/shared/rules/limits';
import { FormDialog } from '@/shared/ui/FormDialog';
import classes from './apicapture.module.css';
import { pretty } from './rules';

/** Request and response. The query and bodies are shown for a stated reason. */
export function CallDetails({ call }: { call: CapturedCall }) {
  const [revealed, setRevealed] = useState<CapturedCall | null>(null);
  const [isAsking, setAsking] = useState(false);
  const { request, response } = (revealed ?? call).value;
  return (
    <div className={classes.details}>
      <dl className={classes.facts}>
        <div>
          <dt>User</dt>
          <dd>
            {call.userName} ({call.userIdSourceType === 'User' ? 'person' : 'service account'})
          </dd>
        </div>
        <div>
          <dt>Token hash</dt>
          <dd className="cp-mono">{call.tokenHash}</dd>
        </div>
        <div>
          <dt>Tenant</dt>
          <dd className="cp-mono">{call.value.tenantid}</dd>
        </div>
        {call.value.networkid && (
          <div>
            <dt>Network</dt>
            <dd className="cp-mono">{call.value.networkid}</dd>
          </div>
        )}
      </dl>
      <Side title="Request" first={`${request.method} ${request.url}`} side={request} isRevealed={revealed !== null} />
      <Side title="Response" first={String(response.status)} side={response} isRevealed={revealed !== null} />
      {!revealed && (
        <div>
          <Button variant="default" leftSection={<IconEye size={16} stroke={1.6} />} onClick={() => setAsking(true)}>
            Show query and bodies
          </Button>
        </div>
      )}
      {isAsking && (
        <RevealDialog
          id={call.id}
          onClose={() => setAsking(false)}
          onRevealed={(whole) => {
            setAsking(false);
            setRevealed(whole);
          }}
        />
      )}
    </div>
  );
}

type SideProps = {
  title: string;
  first: string;
  side: { headers: Record<string, string>; body?: string | null; omitted?: string | null };
  isRevealed: boolean;
};

function Side({ title, first, side, isRevealed }: SideProps) {
  const headers = Object.entries(side.headers);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <p className="cp-mono">{first}</p>
      {headers.length > 0 && (
        <dl className={classes.headers}>
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt className="cp-mono">{name}</dt>
              <dd className="cp-mono">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {side.omitted && <p className="cp-second">The body was not kept: {side.omitted}.</p>}
      {side.body && <pre className={classes.body}>{pretty(side.body)}</pre>}
      {isRevealed && !side.body && !side.omitted && <p className="cp-second">No body.</p>}
    </section>
  );
}

type RevealProps = { id: string; onClose: () => void; onRevealed: (call: CapturedCall) => void };

/** Asks for the reason before showing data that may name a patient. */
function RevealDialog({ id, onClose, onRevealed }: RevealProps) {
  const { form, ...rest } = useServerForm({
    initialValues: { reason: '' },
    validate: { reason: (reason) => limitError(RevealForm.reason, reason.trim()) },
    submit: async ({ reason }) =>
      onRevealed(
        await unwrap(api.POST('/api/diagnostics/apicapture/{id}/reveal', { params: { path: { id } }, body: { reason: reason.trim() } })),
      ),
  });
  return (
    <FormDialog title="Show query and bodies" label="Show" onClose={onClose} {...rest}>
      <p className="cp-question">They may name patients. Your access and its reason are recorded in the audit trail of the organization.</p>
      <Textarea size="md" label="Reason" required data-autofocus autosize minRows={2} maxLength={255} {...form.getInputProps('reason')} />
    </FormDialog>
  );
}
