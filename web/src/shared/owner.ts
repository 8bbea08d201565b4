/** Whose browser tab this is: the session says so after each sign-in and each change of organization. */
let owner = { userId: 'anyone', organizationId: '' };

export const setOwner = (userId: string, organizationId: string | null | undefined) => {
  owner = { userId, organizationId: organizationId ?? '' };
};
export const ownerId = () => owner.userId;

/** A name for what this person types in this organization, so that nobody else finds it in this tab. */
export const ownName = (name: string) => [name, owner.userId, owner.organizationId].join('.');
