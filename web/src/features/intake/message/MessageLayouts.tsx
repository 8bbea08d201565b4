import { Button, Drawer, Tabs } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import type { ReactNode, TouchEvent } from 'react';
import type { Message } from '@/api/types';
import type { Present } from '@/domain/messaging/presence';
import type { Place } from '../trail';
import { type MessageActions, MessageHeader, PhoneActions, PhoneHeader } from './MessageHeader';
import { Panes } from './Panes';
import type { useHold } from './useFiling';
import type { MessagePanes } from './useMessagePanes';

type Props = {
  message: Message;
  place: Place | null;
  present: Present[];
  hold: ReturnType<typeof useHold>;
  actions: MessageActions;
  panes: MessagePanes;
  /** The files of the message. */
  files: ReactNode;
  details: ReactNode;
  /** The document in view. */
  centre: ReactNode;
  forms: ReactNode;
  /** Filing into the chart. */
  foot: ReactNode;
};

type PhoneProps = Props & {
  /** Number of read values that nobody has confirmed. */
  unconfirmed: number;
};

/** On a phone: one pane at a time. */
export function PhoneLayout({ message, present, hold, actions, panes, files, details, centre, forms, foot, unconfirmed }: PhoneProps) {
  return (
    <>
      <PhoneHeader message={message} present={present} holder={hold.holder} onTakeOver={hold.takeOver} actions={actions} />
      <Tabs value={panes.tab} onChange={panes.setTab} keepMounted className="m-tabs">
        <Tabs.List grow>
          <Tabs.Tab value="document">Document</Tabs.Tab>
          <Tabs.Tab value="patient" rightSection={unconfirmed > 0 && <span className="m-badge cp-num">{unconfirmed}</span>}>
            Patient
          </Tabs.Tab>
          <Tabs.Tab value="details">Details</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="document" className="m-panel">
          {centre}
        </Tabs.Panel>
        <Tabs.Panel value="patient" className="m-panel cp-scroll">
          {forms}
          {foot}
        </Tabs.Panel>
        <Tabs.Panel value="details" className="m-panel cp-scroll">
          <section className="cp-sec">
            <div className="cp-sec-h">
              <h2>Attachments</h2>
            </div>
            {files}
          </section>
          {details}
        </Tabs.Panel>
      </Tabs>
      <PhoneActions message={message} actions={actions} />
    </>
  );
}

/** On a narrow screen: the document, with the form and the details in a drawer. */
export function NarrowLayout({ message, place, present, hold, actions, panes: { side }, files, details, centre, forms, foot }: Props) {
  return (
    <>
      <MessageHeader message={message} present={present} holder={hold.holder} onTakeOver={hold.takeOver} place={place} actions={actions} />
      <div className="cp-narrowbar">
        <div className="cp-grow cp-strip">{files}</div>
        <Button variant="default" leftSection={<IconUser size={16} stroke={1.6} />} onClick={side.open}>
          Patient and details
        </Button>
      </div>
      <div className="cp-pane cp-grow">{centre}</div>
      <Drawer
        opened={side.isOpen}
        onClose={side.close}
        closeOnEscape={false}
        position="right"
        size={400}
        keepMounted
        title="Patient and details"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {forms}
        {foot}
        {details}
      </Drawer>
    </>
  );
}

/** On a wide screen: the document in the middle, its message at the left, the form at the right. */
export function WideLayout({ message, place, present, hold, actions, files, details, centre, forms, foot }: Props) {
  return (
    <>
      <MessageHeader message={message} present={present} holder={hold.holder} onTakeOver={hold.takeOver} place={place} actions={actions} />
      <Panes
        left={
          <div className="cp-scroll">
            <section className="cp-sec cp-attsec" aria-labelledby="attachments-pane">
              <div className="cp-sec-h">
                <h2 id="attachments-pane">Attachments</h2>
                <span className="cp-muted cp-num">{message.attachments.length}</span>
              </div>
              {files}
            </section>
            {details}
          </div>
        }
        centre={centre}
        right={
          <>
            <div className="cp-scroll cp-grow">{forms}</div>
            {foot}
            <KeyHints />
          </>
        }
      />
    </>
  );
}

const HINTS = [
  ['p', 'patient'],
  ['t', 'type'],
  ['a', 'assign'],
  ['s', 'snooze'],
  ['?', 'keys'],
] as const;

/** The most frequent single keys. */
const KeyHints = () => (
  <div className="cp-keyhints cp-muted">
    {HINTS.map(([key, what]) => (
      <span key={key}>
        <kbd className="cp-kbd">{key}</kbd> {what}
      </span>
    ))}
  </div>
);

const SWIPE = 80;

/** A quick swipe goes to the next or previous message, unless a zoomed page is being moved. */
export function swipes(previous: (() => void) | undefined, next: (() => void) | undefined) {
  let start: { x: number; y: number; locked: boolean } | null = null;
  return {
    onTouchStart: (e: TouchEvent) => {
      const touch = e.touches[0];
      const box = (e.target as HTMLElement).closest('.cp-wellscroll, input, textarea');
      const locked = e.touches.length > 1 || (box !== null && (!box.matches('.cp-wellscroll') || box.scrollWidth > box.clientWidth + 4));
      start = touch ? { x: touch.clientX, y: touch.clientY, locked } : null;
    },
    onTouchEnd: (e: TouchEvent) => {
      const touch = e.changedTouches[0];
      if (!start || start.locked || !touch) return;
      const dx = touch.clientX - start.x;
      const dy = Math.abs(touch.clientY - start.y);
      start = null;
      if (Math.abs(dx) < SWIPE || dy > SWIPE / 2) return;
      if (dx < 0) next?.();
      else previous?.();
    },
  };
}
