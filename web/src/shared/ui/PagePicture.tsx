import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { type ComponentProps, type ReactNode, useState } from 'react';

type UnshownProps = {
  text?: string;
  onRetry: () => void;
  /** Further actions, such as a download. */
  children?: ReactNode;
};

/** In the place of a page that the browser cannot draw. */
export const Unshown = ({ text = 'This page could not be shown.', onRetry, children }: UnshownProps) => (
  <div className="cp-unshown" role="alert">
    <p>{text}</p>
    <div className="cp-row">
      <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={onRetry}>
        Try again
      </Button>
      {children}
    </div>
  </div>
);

type Props = ComponentProps<'img'> & {
  src: string;
  alt: string;
  /** Fetches the picture again; it then has another address. */
  onRetry: () => void;
  /** Offered if the browser cannot draw it. */
  instead?: ReactNode;
};

/** The picture of a page, or words where the browser cannot draw it. */
export function PagePicture({ onRetry, instead, src, alt, ...rest }: Props) {
  const [broken, setBroken] = useState('');
  if (broken === src) return <Unshown onRetry={onRetry}>{instead}</Unshown>;
  return <img src={src} alt={alt} draggable={false} onError={() => setBroken(src)} {...rest} />;
}
