{definition}
golf__f={function};
