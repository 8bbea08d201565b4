import type { IntakeRequest } from '@/api/types';
import { fetchIntake } from '@/domain/messaging/intakeList';
import { GATHER_SIZE, gatherIds } from '@/shared/table/useSelection';

/** Maximum number of individually selected messages; larger selections act on all that match. */
export const SELECT_LIMIT = 1000;

/** All messages that match the list's filters, in its order, up to the limit. */
export const idsOfList = (body: IntakeRequest, optimized: boolean) =>
  gatherIds(SELECT_LIMIT, (page) => fetchIntake({ ...body, cursor: undefined, pageStart: page, pageSize: GATHER_SIZE }, optimized));
