import './demo.css';
import { Button, Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { BrandMark } from '@/app/shell/Sidebar';
import { formatWhen } from '@/shared/format';
import { SafeFrame } from '@/shared/frame/SafeFrame';
import { paths } from '@/shared/paths';
import { useTabTitle } from '@/shared/tabTitle';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { emailQuery, emailsQuery } from './api';
import { linksIn } from './links';

/** The mailbox of a demonstration, so that invitations and links can be tried without a mail server. */
export function MailboxPage() {
  useTabTitle('Mailbox of this demonstration');
  const go = useGo();
  const emails = useQuery(emailsQuery);
  const [chosen, choose] = useState<string | null>(null);
  const items = emails.data?.items ?? [];
  const current = items.find((e) => e.id === chosen) ?? items[0];
  return (
    <div className="demo-box">
      <header className="demo-head">
        <BrandMark size={30} />
        <h1>Mailbox of this demonstration</h1>
        <div className="cp-grow" />
        <Button variant="default" onClick={() => go(paths.login())}>
          Go to sign-in
        </Button>
      </header>
      <main className="demo-main">
        {emails.isError ? (
          <ErrorState title="There is no mailbox here" error={emails.error} onRetry={() => void emails.refetch()} />
        ) : emails.isPending ? (
          <Skeleton height={160} aria-label="Loading" />
        ) : !current ? (
          <EmptyState
            icon={IconMail}
            title="No e-mail yet"
            text="Invitations, links and notices appear here instead of being e-mailed, because no mail server is configured."
          />
        ) : (
          <>
            <nav aria-label="E-mails" className="demo-list">
              {items.map((e) => (
                <UnstyledButton
                  key={e.id}
                  className="demo-item"
                  aria-current={e.id === current.id || undefined}
                  onClick={() => choose(e.id)}
                >
                  <span className="cp-block cp-ell cp-strong">{e.subject}</span>
                  <span className="cp-block cp-ell cp-second">{e.toAddress}</span>
                  <span className="cp-block cp-muted cp-num">{formatWhen(e.sentAt)}</span>
                </UnstyledButton>
              ))}
            </nav>
            <Content key={current.id} id={current.id} subject={current.subject} to={`${current.toName} <${current.toAddress}>`} />
          </>
        )}
      </main>
    </div>
  );
}

function Content({ id, subject, to }: { id: string; subject: string; to: string }) {
  const email = useQuery(emailQuery(id));
  if (email.isError) return <ErrorState title="This e-mail could not be opened" error={email.error} onRetry={() => void email.refetch()} />;
  return (
    <article className="demo-mail" aria-label={subject}>
      <div className="demo-mail-head">
        <h2>{subject}</h2>
        <p className="cp-second cp-wrap">To {to}</p>
        <div className="cp-row">
          {linksIn(email.data?.text ?? '', window.location.origin).map((link) => (
            <Button key={link.href} component="a" href={link.href} target="_blank" rel="noopener" size="xs" variant="default">
              {link.label}
            </Button>
          ))}
        </div>
      </div>
      {email.data ? <SafeFrame html={email.data.html} title={subject} /> : <Skeleton height={240} aria-label="Loading" />}
    </article>
  );
}
