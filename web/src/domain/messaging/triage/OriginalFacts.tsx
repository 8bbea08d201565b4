import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { quiet, rawFetch } from '@/api/client';
import { queryOf } from '@/api/query';
import type { Message, Original } from '@/api/types';
import { formatWhen } from '@/shared/format';
import { saveFile } from '@/shared/saveFile';

const save = async (batch: string, file: Original['files'][number]) =>
  saveFile(await (await rawFetch(`/api/triage/${batch}/files/${file.id}`)).blob(), file.name);

/** The origin of a document made by triage: pages of the uploaded files, with links. */
export function OriginalFacts({ message }: { message: Pick<Message, 'id' | 'sourceType'> }) {
  const { data } = useQuery({
    ...queryOf('get', '/api/messages/{id}/original', { params: { path: { id: message.id } }, ...quiet }),
    enabled: message.sourceType === 'Triage',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return null;
  return (
    <>
      <dt>Uploaded</dt>
      <dd>
        {data.createdBy.name}, {formatWhen(data.createdDate)}
      </dd>
      <dt>Original</dt>
      <dd className="cp-wrap">
        {data.files.map((file, i) => (
          <Fragment key={file.id}>
            {i > 0 && <br />}
            <UnstyledButton className="cp-link" onClick={() => void save(data.batchId, file)}>
              {file.name}
            </UnstyledButton>
            {file.pages && <span className="cp-muted cp-num"> page {file.pages.replaceAll('-', '–')}</span>}
          </Fragment>
        ))}
      </dd>
    </>
  );
}
