import { useQueryClient } from '@tanstack/react-query';
import { tellsOf, useFresh } from '@/shared/hubs';
import { refreshIntake } from './api';

/** Reads the Intake anew when the server says that something in it changed. */
export function useFreshIntake() {
  const client = useQueryClient();
  useFresh(
    (frame) => tellsOf(frame, 'intake'),
    () => refreshIntake(client),
  );
}
