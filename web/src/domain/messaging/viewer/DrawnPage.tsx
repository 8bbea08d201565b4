import { type ComponentProps, type ReactNode, useState } from 'react';
import { Page } from 'react-pdf';
import { Unshown } from '@/shared/ui/PagePicture';

type PageProps = ComponentProps<typeof Page>;
type Drawn = Parameters<NonNullable<PageProps['onRenderSuccess']>>[0];
type Fault = 'page' | 'picture';

/** Whether a picture on a page could not be decoded: the library leaves it white and reports nothing. */
const lacksPicture = (objects: Iterable<readonly [string, unknown]>) => {
  for (const [id, data] of objects) if (id.startsWith('img_') && data === null) return true;
  return false;
};

/** The failure of a drawn page, and a function that draws it again. */
function useDrawn() {
  const [fault, setFault] = useState<Fault | null>(null);
  const [round, setRound] = useState(0);
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const failed = () => setFault('page');
  return {
    fault,
    again: () => {
      // Otherwise undecodable pictures stay white.
      drawn?.cleanup();
      setFault(null);
      setRound((r) => r + 1);
    },
    round,
    handlers: {
      error: null,
      onLoadError: failed,
      onRenderError: failed,
      onRenderSuccess: (page: Drawn) => {
        setDrawn(page);
        setFault(lacksPicture(page.objs as Iterable<readonly [string, unknown]>) ? 'picture' : null);
      },
    },
  };
}

/** A page of a PDF, with a message and `instead` if it cannot be drawn. */
export function DrawnPage({ instead, ...props }: PageProps & { instead?: ReactNode }) {
  const { fault, again, round, handlers } = useDrawn();
  return (
    <>
      <Page key={round} {...props} {...handlers} />
      {fault && (
        <Unshown text={fault === 'page' ? undefined : 'This page could not be shown in full.'} onRetry={again}>
          {instead}
        </Unshown>
      )}
    </>
  );
}

/** The small picture of a page, or words in its place. */
export function SmallPage(props: PageProps) {
  const { fault, handlers } = useDrawn();
  return (
    <>
      <Page {...props} {...handlers} renderTextLayer={false} renderAnnotationLayer={false} loading={null} />
      {fault && <span className="cp-notshown">Not shown</span>}
    </>
  );
}
