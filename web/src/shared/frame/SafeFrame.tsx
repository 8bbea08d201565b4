import './frame.css';
import { useMemo } from 'react';
import { styleNonce } from '@/shared/nonce';
import { frameDocument } from './frame';

/** A page without scripts, links or network of its own. */
export function SafeFrame({ html, title, css }: { html: string; title: string; css?: string }) {
  const page = useMemo(() => frameDocument(html, styleNonce(), css), [html, css]);
  return <iframe className="cp-frame" title={title} sandbox="" srcDoc={page} />;
}
