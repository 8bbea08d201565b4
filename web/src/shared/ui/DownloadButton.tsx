import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';

type Props = { label: string; size: 'sm' | 'md'; save: () => Promise<unknown> };

/** Saves a file, and shows that it is being fetched. */
export function DownloadButton({ label, size, save }: Props) {
  const saving = useMutation({ mutationFn: save });
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<IconDownload size={16} stroke={1.6} />}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      {label}
    </Button>
  );
}
