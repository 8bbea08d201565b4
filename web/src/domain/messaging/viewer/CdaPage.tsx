import { IconMinus, IconPlus, IconSearch } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { useDebounced } from '@/shared/debounce';
import { SafeFrame } from '@/shared/frame/SafeFrame';
import { hitId, markHits } from './find';
import { FindTools, Tool } from './tools';
import { ZOOMS, zoomed } from './zoom';

/** Each search renders the page again, so it waits for the end of the word. */
const FIND_DELAY_MS = 200;
const CSS = `
  /* Links of the table of contents tall enough for a finger. */
  nav a { display: inline-block; min-height: 24px; line-height: 24px; }
  mark { background: #ffe58a; color: inherit; }
  mark:target { background: #ffb14a; outline: 2px solid #b25e00; }
  :target { scroll-margin: 80px; }
`;

/** The readable page of a clinical document, with zoom and search. */
export function CdaPage({ html, name }: { html: string; name: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [zoom, setZoom] = useState(1);
  const [finding, setFinding] = useState(false);
  const [text, setText] = useState('');
  const typed = useDebounced(text.trim(), FIND_DELAY_MS);
  const words = typed.length > 1 ? typed : '';
  const [hit, setHit] = useState(0);
  // Closing the search keeps the place and removes the marks.
  const marked = useMemo(() => markHits(html, words, finding ? 'mark' : 'span'), [html, words, finding]);
  const goTo = (n: number) => {
    setHit(n);
    // The frame has no origin: it can be sent to a place in its page, but its content cannot be read.
    frame.current?.contentWindow?.location.replace(`about:srcdoc#${hitId(n)}`);
  };
  const turn = (by: 1 | -1) => marked.count > 0 && goTo((hit + by + marked.count) % marked.count);
  const found = !words ? '' : marked.count ? `${Math.min(hit, marked.count - 1) + 1} of ${marked.count}` : 'Not found';
  const part = `${100 / zoom}%`;
  return (
    <>
      <div className="cp-tools" role="toolbar" aria-label="Document tools">
        <Tool label="Zoom out" icon={IconMinus} disabled={zoom <= ZOOMS[0]!} onClick={() => setZoom(zoomed(zoom, -1))} />
        <span className="cp-num" aria-live="polite">{`${Math.round(zoom * 100)}%`}</span>
        <Tool label="Zoom in" icon={IconPlus} disabled={zoom >= ZOOMS.at(-1)!} onClick={() => setZoom(zoomed(zoom, 1))} />
        <span className="sep" />
        <Tool label="Find in document" icon={IconSearch} pressed={finding} onClick={() => setFinding(!finding)} />
      </div>
      {finding && (
        <FindTools
          text={text}
          onText={(value) => {
            setText(value);
            setHit(0);
          }}
          found={found}
          hasFound={marked.count > 0}
          unit="match"
          onTurn={turn}
          onClose={() => setFinding(false)}
        />
      )}
      <div className="cp-zoomed">
        <SafeFrame
          // Another page in the same frame would add an entry to the browser's history.
          key={`${finding} ${words}`}
          ref={frame}
          html={marked.html}
          title={name}
          css={CSS}
          style={{ width: part, height: part, transform: `scale(${zoom})` }}
          onLoad={() => marked.count > 0 && goTo(Math.min(hit, marked.count - 1))}
        />
      </div>
    </>
  );
}
