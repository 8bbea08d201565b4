import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconFileSearch } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { faxPagesQuery } from '../api';

const PdfView = lazy(() => import('@/domain/messaging/viewer/PdfView').then((m) => ({ default: m.PdfView })));

/** Shows the pages that fax recipients of a saved draft would get. */
export function FaxPages({ draftId }: { draftId: string }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconFileSearch size={16} stroke={1.6} />} onClick={open}>
        Preview fax
      </Button>
      {opened && (
        <Dialog opened isAbove onClose={close} title="Pages of the fax" size={900}>
          <Pages draftId={draftId} />
        </Dialog>
      )}
    </>
  );
}

function Pages({ draftId }: { draftId: string }) {
  const pages = useQuery(faxPagesQuery(draftId));
  if (pages.isError) return <ErrorState title="The pages could not be made" error={pages.error} onRetry={() => void pages.refetch()} />;
  return (
    <div className="rel-faxpages" aria-busy={!pages.data}>
      {pages.data ? (
        <Suspense fallback={null}>
          <PdfView file={pages.data} name="Pages of the fax" />
        </Suspense>
      ) : (
        <p role="status" className="cp-second">
          The pages are being made…
        </p>
      )}
    </div>
  );
}
