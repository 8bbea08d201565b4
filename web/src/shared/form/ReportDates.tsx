import type { GetInputPropsReturnType } from '@mantine/form';
import { REPORT_DATES_ERROR } from '../rules/dates';
import { Banner } from '../ui/blocks';
import { DateInput } from './DateInput';

type Props = { start: GetInputPropsReturnType; end: GetInputPropsReturnType };

/** The first and last day of a report, with one error message above both. */
export function ReportDates({ start, end }: Props) {
  const isWrong = start.error === REPORT_DATES_ERROR || end.error === REPORT_DATES_ERROR;
  return (
    <>
      {isWrong && <Banner caption="There are invalid fields on this page.">{REPORT_DATES_ERROR}</Banner>}
      <div className="cp-reportdates">
        <DateInput data-autofocus size="md" label="Start Date" required allowFuture keepInvalid {...start} error={Boolean(start.error)} />
        <DateInput size="md" label="End Date" required allowFuture keepInvalid {...end} error={Boolean(end.error)} />
      </div>
    </>
  );
}
