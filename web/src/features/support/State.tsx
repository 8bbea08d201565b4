import type { TicketState } from '@/api/types';
import { Status } from '@/shared/ui/status';
import { STATES } from './words';

/** The state of a support ticket. */
export const State = ({ state }: { state: TicketState }) => <Status state={STATES[state].state}>{STATES[state].text}</Status>;
