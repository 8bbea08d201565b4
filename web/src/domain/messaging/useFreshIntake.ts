import { useQueryClient } from '@tanstack/react-query';
import { tellsOf, useFresh } from '@/shared/hubs';
import { refreshIntake } from './api';

/** Refetches the Intake on change events of the server. */
export function useFreshIntake() {
  const client = useQueryClient();
  useFresh(
    (frame) => tellsOf(frame, 'intake'),
    () => refreshIntake(client),
  );
}
