import { useDebouncedCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { tellsOf, useHubEvents } from '@/shared/hubs';
import { intakeKey } from './intakeList';

/** Events that come together are answered together. */
const EVENT_DELAY_MS = 500;

/** Reads the Intake anew when the server says that something in it changed. */
export function useFreshIntake() {
  const client = useQueryClient();
  const refresh = useDebouncedCallback(() => void client.invalidateQueries({ queryKey: intakeKey }), EVENT_DELAY_MS);
  useHubEvents((frame) => tellsOf(frame, 'intake') && refresh());
}
