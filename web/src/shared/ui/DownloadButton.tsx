import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';

type Props = { label: string /** The file, where several can be saved. */; of?: string; size: 'sm' | 'md'; save: () => Promise<unknown> };

/** Saves a file, and shows that it is being fetched. */
export function DownloadButton({ label, of, size, save }: Props) {
  const saving = useMutation({ mutationFn: save });
  return (
    <Button
      size={size}
      variant="default"
      aria-label={of && `${label}: ${of}`}
      leftSection={<IconDownload size={16} stroke={1.6} />}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      {label}
    </Button>
  );
}
