/** Place of the search words in a message. */
export function FoundIn({ places }: { places?: string[] }) {
  if (!places?.length) return null;
  return (
    <span className="cp-muted cp-ell cp-found">
      <span className="cp-hidden">Found </span>in {places.join(', ')}
    </span>
  );
}
