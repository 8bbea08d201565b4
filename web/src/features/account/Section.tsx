import './account.css';
import { type ReactNode, useId } from 'react';

/** Settings at the right, their explanation at the left. */
export function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="acc-section" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p className="cp-muted">{text}</p>
      </div>
      <div className="acc-main">{children}</div>
    </section>
  );
}
