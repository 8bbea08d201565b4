import { Button, Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconAlertTriangle, IconChevronRight, IconCircleCheck, IconInfoCircle, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { wordsOf } from '../errors';
import type { NoticeKind } from '../notify';
import type { Icon } from './states';

/** Shown instead of an empty list, with what to do next. */
export function EmptyState({ icon: IconOf, title, text, children }: { icon: Icon; title: string; text?: string; children?: ReactNode }) {
  return (
    <div className="cp-empty">
      <span className="pic">
        <IconOf size={28} stroke={1.5} aria-hidden />
      </span>
      <h2>{title}</h2>
      {text && <p className="cp-second">{text}</p>}
      {children && <div className="cp-row cp-empty-actions">{children}</div>}
    </div>
  );
}

/** Shown instead of content that could not be loaded. */
export function ErrorState({
  title,
  error,
  onRetry,
  children,
}: {
  title: string;
  /** The error thrown by the call. */
  error: unknown;
  onRetry?: () => void;
  children?: ReactNode;
}) {
  return (
    <div className="cp-empty" role="alert">
      <span className="pic t-danger cp-tinted">
        <IconPlugConnectedX size={28} stroke={1.5} aria-hidden />
      </span>
      <h2>{title}</h2>
      {Boolean(error) && <p className="cp-second">{wordsOf(error)}</p>}
      <div className="cp-row cp-empty-actions">
        {onRetry && (
          <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={onRetry}>
            Try again
          </Button>
        )}
        {children}
      </div>
    </div>
  );
}

const noticeLooks = {
  success: { tone: 't-success', IconOf: IconCircleCheck },
  info: { tone: 't-info', IconOf: IconInfoCircle },
  warning: { tone: 't-warn', IconOf: IconAlertTriangle },
  error: { tone: 't-danger', IconOf: IconAlertTriangle },
} as const;

/** A notice in the flow of a page. */
export function Notice({ kind, children }: { kind: NoticeKind; children: ReactNode }) {
  const { tone, IconOf } = noticeLooks[kind];
  return (
    <div className={`cp-note ${tone}`} role={kind === 'error' ? 'alert' : undefined}>
      <IconOf size={16} stroke={1.8} aria-hidden />
      <div className="cp-grow">{children}</div>
    </div>
  );
}

/** A notice with a caption. */
export function Banner({ kind = 'error', caption = 'Oh no!', children }: { kind?: NoticeKind; caption?: string; children: ReactNode }) {
  return (
    <Notice kind={kind}>
      <b className="cp-strong">{caption}</b> {children}
    </Notice>
  );
}

/** Several messages under one title, such as the errors before sending. */
export function NoticeList({ kind, title, messages }: { kind: NoticeKind; title?: string; messages: string[] }) {
  if (!messages.length) return null;
  return (
    <Notice kind={kind}>
      {title && <b className="cp-strong">{title}</b>}
      <ul className="cp-plainlist">
        {messages.map((m) => (
          <li key={m}>{m}</li>
        ))}
      </ul>
    </Notice>
  );
}

type Choices = { isError: boolean; data: unknown; refetch: () => unknown };

/** The choices of a form could not be loaded; without this notice the list would look empty. */
export function ChoicesFailed({ of }: { of: Choices[] }) {
  const failed = of.filter((query) => query.isError && query.data === undefined);
  if (!failed.length) return null;
  return (
    <Notice kind="error">
      The choices could not be loaded.{' '}
      <UnstyledButton className="cp-link" onClick={() => failed.forEach((query) => void query.refetch())}>
        Try again
      </UnstyledButton>
    </Notice>
  );
}

type InlineBoxProps = {
  title: string;
  defaultOpened?: boolean;
  /** It contains an error, so it stays open to show it. */
  isWrong?: boolean;
  children: ReactNode;
};

/** A box in the page that opens and closes. */
export function InlineBox({ title, defaultOpened = false, isWrong = false, children }: InlineBoxProps) {
  const [opened, { toggle, open }] = useDisclosure(defaultOpened);
  if (isWrong && !opened) open();
  const id = useId();
  return (
    <div className="cp-inlinebox">
      <UnstyledButton className="cp-link cp-row" onClick={toggle} aria-expanded={opened} aria-controls={id}>
        <IconChevronRight size={15} stroke={2} className="cp-turn" data-open={opened || undefined} aria-hidden />
        {title}
      </UnstyledButton>
      <Collapse expanded={opened} id={id}>
        {children}
      </Collapse>
    </div>
  );
}

/** An address that wraps after its at sign and dots rather than within a word. */
export const Breakable = ({ text }: { text: string }) =>
  text.split(/(?<=[@.])/).map((part, i) => (
    <Fragment key={String(i)}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));

/** The first addresses of a list, and how many more there are. */
export function Addresses({
  values,
  show = 3,
  format = (a) => a,
}: {
  values: string[];
  show?: number;
  format?: (address: string) => string;
}) {
  const rest = values.length - show;
  return (
    <span title={values.map(format).join('; ')}>
      <Breakable text={values.slice(0, show).map(format).join('; ')} />
      {rest > 0 && <span className="cp-muted"> +{rest} more</span>}
    </span>
  );
}
