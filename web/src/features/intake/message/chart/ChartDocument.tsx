import { Button } from '@mantine/core';
import { IconClipboardList } from '@tabler/icons-react';
import { useState } from 'react';
import type { Attachment } from '@/api/types';
import { OrderLookupDialog } from '@/domain/charts/OrderLookupDialog';
import { ReviewerLookupDialog } from '@/domain/charts/ReviewerLookupDialog';
import { ListSelect } from '@/shared/form/inputs';
import { plural } from '@/shared/format';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { ChartReviewer } from './ChartReviewer';
import type { ChartPaneState } from './useChartPane';

type Props = {
  chart: ChartPaneState;
  attachment: Attachment;
  /** To whom the message is assigned. */
  assigneeId: string | undefined;
  isShown: boolean;
  error?: string;
  size?: 'sm' | 'md';
};

/** What the EHR also takes with the document in view: its own type, orders, and who reviews it. */
export function ChartDocument({ chart, attachment, assigneeId, isShown, error, size = 'sm' }: Props) {
  const { connection, patientId, has } = chart;
  const [opened, open] = useState<'orders' | 'reviewer' | null>(null);
  if (!connection || chart.filings.of(attachment.id)) return null;
  const choices = chart.ofChart(attachment);
  const [hasTypes, hasOrders] = [has('documentTypeLookup'), has('orderLookup')];
  const hasReview = has('reviewerLookup') || has('reviewerGroupLookup');
  if (!hasTypes && !(hasOrders && patientId) && !hasReview) return null;
  const orderIds = choices.orderIds ?? [];
  const close = () => open(null);
  return (
    <section className="cp-sec" aria-labelledby="chart-document">
      <div className="cp-sec-h">
        <h2 id="chart-document">For the chart</h2>
        <span className="cp-muted cp-ell cp-tiny">{attachment.fileName}</span>
      </div>
      {hasTypes && <Type chart={chart} attachment={attachment} error={error} size={size} isRequired={connection.requiresDocumentType} />}
      <div className="chart-choices">
        {hasOrders && patientId && (
          <Button size="xs" variant="default" leftSection={<IconClipboardList size={15} stroke={1.6} />} onClick={() => open('orders')}>
            {orderIds.length > 0 ? plural(orderIds.length, 'order') : 'Orders'}
          </Button>
        )}
        {hasReview && (
          <ChartReviewer
            connection={connection}
            chart={chart}
            attachment={attachment}
            assigneeId={assigneeId}
            isShown={isShown}
            onOpen={() => open('reviewer')}
          />
        )}
      </div>
      {opened === 'orders' && patientId && (
        <OrderLookupDialog
          connection={connection}
          patientId={patientId}
          visitId={chart.visit.wantedId}
          selected={orderIds}
          onSelect={(ids) => {
            close();
            // They are those of the proposed visit, which is kept with them.
            if (ids.length > 0) chart.visit.takeProposed();
            chart.say(attachment, { orderIds: ids });
          }}
          onRemove={() => {
            close();
            chart.say(attachment, { orderIds: [] });
          }}
          onClose={close}
        />
      )}
      {opened === 'reviewer' && (
        <ReviewerLookupDialog
          connection={connection}
          selected={choices}
          onSelect={(choice) => {
            close();
            chart.review(attachment, choice);
          }}
          onRemove={() => {
            close();
            chart.review(attachment, {});
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

type TypeProps = Pick<Props, 'chart' | 'attachment' | 'error' | 'size'> & { isRequired: boolean };

/** The type in the EHR: the one of the same name is proposed. */
function Type({ chart, attachment, error, size, isRequired }: TypeProps) {
  const type = chart.typeOf(attachment);
  const types = chart.types.data ?? [];
  const isSame = type && !chart.ofChart(attachment).documentTypeId;
  const all = type && !types.some((t) => t.id === type.id) ? [...types, type] : types;
  return (
    <>
      <ChoicesFailed of={[chart.types]} />
      <ListSelect
        size={size}
        label="Type in the chart"
        description={isSame ? 'The same name as the document type' : undefined}
        required={isRequired}
        placeholder={chart.types.isLoading ? 'Loading' : undefined}
        nothingFoundMessage={chart.types.isLoading ? 'Loading' : 'No document types match.'}
        error={error}
        data={all.map(({ id, name }) => ({ value: id, label: name }))}
        value={type?.id ?? null}
        onChange={(id) => {
          const chosen = all.find((t) => t.id === id);
          chart.say(attachment, { documentTypeId: chosen?.id ?? null, documentType: chosen?.name ?? null });
        }}
      />
    </>
  );
}
