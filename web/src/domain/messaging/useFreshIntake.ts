import { useQueryClient } from '@tanstack/react-query';
import { useDebouncedCall } from '@/shared/debounce';
import { EVENT_PAUSE, tellsOf, useHubEvents } from '@/shared/hubs';
import { intakeKey } from './intakeList';

/** Reads the Intake anew when the server says that something in it changed. */
export function useFreshIntake() {
  const client = useQueryClient();
  const refresh = useDebouncedCall(() => void client.invalidateQueries({ queryKey: intakeKey }), EVENT_PAUSE);
  useHubEvents((frame) => tellsOf(frame, 'intake') && refresh());
}
