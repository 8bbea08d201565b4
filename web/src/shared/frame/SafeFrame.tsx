import './frame.css';
import { type ComponentProps, useMemo } from 'react';
import { styleNonce } from '@/shared/nonce';
import { frameDocument } from './frame';

type Props = { html: string; title: string; css?: string } & Pick<ComponentProps<'iframe'>, 'ref' | 'style' | 'onLoad'>;

/** A page without scripts, links or network of its own. */
export function SafeFrame({ html, title, css, ...rest }: Props) {
  const page = useMemo(() => frameDocument(html, styleNonce(), css), [html, css]);
  return <iframe className="cp-frame" title={title} {...rest} sandbox="" srcDoc={page} />;
}
