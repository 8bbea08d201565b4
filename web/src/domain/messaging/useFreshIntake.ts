import { useQueryClient } from '@tanstack/react-query';
import { tellsOf, useFresh } from '@/shared/hubs';
import { intakeKey } from './intakeList';

/** Reads the Intake anew when the server says that something in it changed. */
export function useFreshIntake() {
  const client = useQueryClient();
  useFresh(
    (frame) => tellsOf(frame, 'intake'),
    () => client.invalidateQueries({ queryKey: intakeKey }),
  );
}
