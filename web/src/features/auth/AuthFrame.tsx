import type { ReactNode } from 'react';
import { useBranding } from '@/app/branding';
import { BrandMark } from '@/app/shell/Sidebar';
import { useTabTitle } from '@/shared/tabTitle';

/** The frame of every screen outside the session: title and content at the left, the brand's panel at the right. */
export function AuthFrame({ title, children }: { title: string; children: ReactNode }) {
  const { demo } = useBranding();
  useTabTitle(title);
  return (
    <div className="cp-auth">
      <main className="cp-auth-main">
        <div className="cp-auth-brand">
          <BrandMark size={30} />
          {demo && <span className="cp-demo-tag">Demonstration</span>}
        </div>
        <div className="cp-auth-content">
          <h1>{title}</h1>
          {children}
        </div>
      </main>
      <aside className="cp-auth-panel" aria-label="What this is">
        <svg viewBox="0 0 880 900" width="100%" height="100%" preserveAspectRatio="xMaxYMin slice" aria-hidden>
          <g fill="none" stroke="#fff" strokeLinecap="round" strokeLinejoin="round">
            <path d="M210 90 620 418 1030 90" strokeWidth="54" opacity=".09" />
            <path d="M210 268V560a84 84 0 0 0 84 84H946a84 84 0 0 0 84-84V268" strokeWidth="54" opacity=".05" />
          </g>
        </svg>
        <div className="cp-auth-words">
          <p className="cp-auth-claim">Referrals, results and records, from practice to practice.</p>
          <p className="cp-auth-sub">Signed, encrypted, and confirmed at the other end.</p>
        </div>
      </aside>
    </div>
  );
}
