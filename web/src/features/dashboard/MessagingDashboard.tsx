import './dashboard.css';
import { IconBuildingHospital } from '@tabler/icons-react';
import { useHasRole, useProfile } from '@/app/session';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { NodeHealth } from './NodeHealth';

/** The landing page of system administrators. */
export function MessagingDashboard() {
  const profile = useProfile();
  const canManage = useHasRole('SysAdmin');
  return (
    <>
      <PageHead title="Messaging health" />
      <div className="cp-scroll">
        <section className="cp-greeting">
          <h2>Welcome, {profile.fullName.split(' ')[0]}</h2>
          <p className="cp-second">
            {canManage
              ? 'Organizations are managed here. Message content stays with the organizations.'
              : 'You are signed in for reporting. Message content stays with the organizations.'}
          </p>
        </section>
        <NodeHealth />
        {canManage && (
          <ul className="cp-places">
            <li>
              <AppLink href={paths.adminOrganizations()} className="cp-place-link">
                <IconBuildingHospital size={20} stroke={1.6} aria-hidden />
                <span>
                  <span className="cp-block cp-strong">Organizations</span>
                  <span className="cp-block cp-second">Create, edit, activate and enable organizations.</span>
                </span>
              </AppLink>
            </li>
          </ul>
        )}
      </div>
    </>
  );
}
