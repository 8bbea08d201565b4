import { useEffect, useRef } from 'react';
import { busy } from '@/api/busy';
import { api, quiet, unwrap } from '@/api/client';
import { NotSignedIn } from '@/api/token';
import { useDebouncedCall } from './debounce';

/** Real-time channels. Each connection shows a short-lived ticket in its first frame and comes back after a loss. */

export type HubName = 'messagepresence' | 'documentprocessing' | 'events';
type Frame = { type: string } & Record<string, unknown>;
export type Hub = { send: (frame: Frame) => void; close: () => void };

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/** Doubles from 1 s to 30 s, spread by up to a quarter so that clients do not return together. */
export const backOff = (attempt: number, random = Math.random()) =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (1 + random / 4);

/** The server sends a heartbeat every 25 s, since a lost network goes unnoticed. */
const SILENCE_MS = 60_000;
/** Time for which a silent connection keeps the page busy. */
const FIRST_NEWS_MS = 5000;

type Handlers = {
  onFrame: (frame: Frame) => void;
  /** Called after each connect and reconnect, to subscribe again. */
  onOpen?: () => void;
  /** Called when events start after each connect; earlier ones were missed. */
  onListening?: () => void;
};

export function connectHub(name: HubName, { onFrame, onOpen, onListening }: Handlers): Hub {
  let socket: WebSocket | null = null;
  let closed = false;
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Listeners refetch missed data until the first event.
  const heard = onListening ? busy() : () => {};
  const longest = setTimeout(heard, FIRST_NEWS_MS);

  const again = () => {
    heard();
    if (closed) return;
    timer = setTimeout(() => void open(), backOff(attempt++));
  };

  async function open() {
    let ticket: string;
    try {
      ({ ticket } = await unwrap(api.POST('/api/account/hubticket', quiet)));
    } catch (error) {
      if (error instanceof NotSignedIn) heard();
      else again();
      return;
    }
    if (closed) return;
    const url = new URL(`/api/hubs/${name}`, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const ws = new WebSocket(url);
    socket = ws;
    let isListening = false;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(silence);
      if (socket !== ws) return;
      socket = null;
      again();
    };
    const hear = () => {
      clearTimeout(silence);
      // Closing a dead connection can take long.
      silence = setTimeout(() => (ws.close(), end()), SILENCE_MS);
    };
    hear();
    ws.onopen = () => {
      ws.send(JSON.stringify({ ticket }));
      onOpen?.();
    };
    ws.onmessage = (e) => {
      attempt = 0;
      hear();
      const frame = JSON.parse(String(e.data)) as Frame;
      if (frame.type !== 'alive') return onFrame(frame);
      if (!isListening) onListening?.();
      isListening = true;
      heard();
    };
    ws.onclose = end;
  }

  void open();
  return {
    send: (frame) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    },
    close: () => {
      closed = true;
      clearTimeout(longest);
      heard();
      clearTimeout(timer);
      socket?.close();
      socket = null;
    },
  };
}

/** Events come in bursts: a list is read again after a pause, and now and then while they do not end. In ms. */
const EVENT_PAUSE = { delay: 500, maxWait: 3000 };

type EventFrame = { type: string; messageId?: string };
const eventListeners = new Set<(frame: EventFrame) => void>();
/** Whether a frame concerns such messages, or one of them. With `again` any may have changed, since events were missed. */
export const tellsOf = (frame: EventFrame, type: 'intake' | 'release', messageId?: string) =>
  frame.type === 'again' || (frame.type === type && (messageId === undefined || frame.messageId === messageId));

/** Called by the one connection of the shell. */
export const publishEvent = (frame: EventFrame) => {
  for (const l of eventListeners) l(frame);
};

/** Subscribes to the organization's events: `intake`, `release`, and `again` after each connect and reconnect. */
export function useHubEvents(listener: (frame: EventFrame) => void) {
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const l = (frame: EventFrame) => latest.current(frame);
    eventListeners.add(l);
    return () => {
      eventListeners.delete(l);
    };
  }, []);
}

/** Refetches data when events concern it: after a pause, but at once if events were missed. */
export function useFresh(concerns: (frame: EventFrame) => boolean, read: () => unknown) {
  const [later, cancel] = useDebouncedCall(read, EVENT_PAUSE);
  useHubEvents((frame) => {
    if (!concerns(frame)) return;
    if (frame.type !== 'again') return later();
    cancel();
    read();
  });
}
