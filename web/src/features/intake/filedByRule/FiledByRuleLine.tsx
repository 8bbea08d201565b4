import { useQuery, useQueryClient } from '@tanstack/react-query';
import { refreshOnly } from '@/api/query';
import { tellsOf, useFresh } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { countsQuery } from './api';
import { spanOf, usualDays } from './period';
import { sumWords } from './words';

/** What rules filed today and yesterday, above the list of messages. Nothing if no rule files. */
export function FiledByRuleLine() {
  const client = useQueryClient();
  const words = sumWords(useQuery(countsQuery(spanOf(usualDays()))).data ?? []);
  useFresh(
    (frame) => tellsOf(frame, 'intake'),
    () => refreshOnly(client, '/api/filedbyrule/counts'),
  );
  if (!words) return null;
  return (
    <div className="int-older cp-second">
      {words}{' '}
      <AppLink className="cp-link" href={paths.filedByRule()}>
        Filed by rule
      </AppLink>
    </div>
  );
}
